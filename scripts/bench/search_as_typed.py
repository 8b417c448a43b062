#!/usr/bin/env python3
"""How soon the search screen shows new results after a key, in a vault of any size.

    .venv/bin/python scripts/bench/search_as_typed.py VAULT [--words 40] [--seed 1] [--size 120x40]

VAULT is the folder of an indexed vault, such as the one that `sizes.py FOLDER CORPUS --documents 10000` makes. Types words of
its titles and texts, whole and a word at a time, into the screen (f7), without a terminal. Prints milliseconds (median, 99th
percentile, slowest) from a key until the list stands that belongs to the line: titles, aliases, names and passages by words;
what is found by meaning comes later. Then the same without the interface, as the vault finds it: by the clock, and the processor's
own time, which other programs change little; this also by how many letters a line has. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.search.hit_list import HitList
from noderag_local.interfaces.tui.search.search_screen import SearchScreen
from noderag_local.interfaces.tui.shell.application import NoderagApp, tune_garbage_collector
from noderag_local.interfaces.tui.shell.session import Session
from noderag_local.retrieval.search_line import read_search_line
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.vault.vault import Vault

KEYS_APART_SECONDS = 0.09
"""Time between two keys of a quick typist."""


def lines_of(folder: Path, number: int, seed: int) -> list[str]:
    """Returns lines to type: titles, words of texts, and two words of one sentence, in turn."""
    drawn = random.Random(seed)
    with Store.open(folder, write=False) as store:
        texts = [text for text in TextRows(store).beginnings(4 * number) if len(text.split()) > 8]
    lines = []
    for place, text in enumerate(drawn.sample(texts, min(number, len(texts)))):
        words = [word.strip(".,;:!?()\"'") for word in text.split()]
        long = [word for word in words if len(word) > 3] or words
        lines.append(
            [" ".join(words[:2]), drawn.choice(long), " ".join(drawn.sample(long, min(2, len(long))))][place % 3]
        )
    return [line for line in lines if line.strip()]


def beginnings(lines: Sequence[str]) -> Iterator[str]:
    """Yields each line as it grows, a letter at a time."""
    for line in lines:
        yield from (line[:end] for end in range(1, len(line) + 1))


def told(name: str, times: Sequence[float]) -> None:
    """Prints median, 99th percentile and slowest."""
    ordered = sorted(times)
    late = ordered[int(0.99 * (len(ordered) - 1))]
    print(f"{name:44} {median(ordered):7.1f} {late:7.1f} {ordered[-1]:7.1f}  ({len(ordered)})")


async def typed(folder: Path, lines: Sequence[str], size: tuple[int, int]) -> list[float]:
    """Returns the milliseconds from each key to its results on the screen."""
    session = Session(load_settings(vault=folder, follow_folders=False))
    app, times = NoderagApp(session), list[float]()
    tune_garbage_collector()
    async with app.run_test(size=size) as pilot:
        await pilot.press("f7")
        while not (isinstance(app.screen, SearchScreen) and app.screen.query_one(HitList).count):
            await asyncio.sleep(0.01)
        screen = app.screen
        for line in lines:
            screen.field.value = ""
            await asyncio.sleep(1)
            for end in range(1, len(line) + 1):
                wanted = read_search_line(line[:end])
                started = time.perf_counter()
                screen.field.insert_text_at_cursor(line[end - 1])
                while screen.found.line != wanted:
                    await asyncio.sleep(0.001)
                if line[end - 1] != " ":  # a blank asks for nothing new
                    times.append(1000 * (time.perf_counter() - started))
                await asyncio.sleep(max(0.0, KEYS_APART_SECONDS - (time.perf_counter() - started)))
    session.close()
    return times


def found(folder: Path, lines: Sequence[str]) -> tuple[list[float], dict[int, list[float]]]:
    """Returns the milliseconds that the vault needs, and those of the processor by the number of letters of the line."""
    taken, used = list[float](), defaultdict[int, list[float]](list)
    with Vault(folder, load_settings(vault=folder)) as vault:
        vault.atlas.instant_search().find(read_search_line(""))
        for text in beginnings(lines):
            started, thread_started = time.perf_counter(), time.thread_time()
            vault.atlas.instant_search().find(read_search_line(text))
            taken.append(1000 * (time.perf_counter() - started))
            used[len(text)].append(1000 * (time.thread_time() - thread_started))
    return taken, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--words", type=int, default=40, help="lines to type")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", default="120x40")
    arguments = parser.parse_args()
    lines = lines_of(arguments.vault, arguments.words, arguments.seed)
    width, _, height = arguments.size.partition("x")
    print(f"{'':44} {'median':>7} {'p99':>7} {'slowest':>7}")
    told("from a key to its results", asyncio.run(typed(arguments.vault, lines, (int(width), int(height)))))
    taken, used = found(arguments.vault, lines)
    told("in the vault alone", taken)
    told("in the vault alone, of the processor", [one for of_length in used.values() for one in of_length])
    for letters in sorted(used)[:6]:
        told(f"  {letters} letters", used[letters])


if __name__ == "__main__":
    main()
