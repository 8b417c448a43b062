#!/usr/bin/env python3
"""How soon the library and Explore answer in a large vault: reading it, every key of a search, scrolling, pages.

    .venv/bin/python scripts/bench/explore.py [--documents 10000] [--entities 100000] [--mentions 500000]

    .venv/bin/python scripts/bench/explore.py --memory [the same]

Makes a vault of invented sentences in a scratch folder (nothing is embedded) and drives the screens without a terminal, at
120x40. Prints milliseconds by kind of key (median and 99th percentile): from the key until the screen rests again, which on an idle
machine is some 30 ms of waiting by the test driver itself, and what the interface's own thread worked for it, which other
programs do not change. With --memory: what the interface holds at the most when all of its screens were looked at, no model
loaded.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from noderag_local.config import load_settings
from noderag_local.domain.documents import BlockKind, Chunk, Document, Passage, Sentence, SourceFile
from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.interfaces.tui.explore.entity_list import EntityList
from noderag_local.interfaces.tui.explore.explore_screen import ExploreScreen
from noderag_local.interfaces.tui.explore.timeline_list import TimelineList
from noderag_local.interfaces.tui.library.document_table import DocumentTable
from noderag_local.interfaces.tui.library.library_screen import LibraryScreen
from noderag_local.interfaces.tui.shell.application import NoderagApp, tune_garbage_collector
from noderag_local.interfaces.tui.shell.session import Session
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.snapshots.snapshot import Snapshot

SENTENCES = 10
WORDS = 14
YEARS = range(1000, 2000)


def invented(number: int, words: list[str], chance: random.Random) -> Document:
    """A document of SENTENCES sentences in one chunk."""
    texts = [" ".join(chance.choices(words, k=WORDS)) for _ in range(SENTENCES)]
    place = Passage(0, 1, 0, 1, 1, 1)
    sentences = tuple(Sentence(at, text, BlockKind.PARAGRAPH, place) for at, text in enumerate(texts))
    chunk = Chunk(0, " ".join(texts), (), place, sentences)
    return Document(f"/notes/{number}.md", 0, f"Note {number}", "utf-8", str(number), (chunk,))


def make(folder: Path, documents: int, entities: int, mentions: int) -> None:
    """A vault in which few entities are named often and most seldom."""
    chance = random.Random(1)
    words = [f"word{number}" for number in range(5000)]
    with Store.open(folder, write=True) as store, store.transaction():
        for number in range(documents):
            file_id = FileRows(store).begin(
                SourceFile(f"/notes/{number}.md", 1, 1), "/notes", False, read_by="markdown 1"
            )
            DocumentRows(store).add(file_id, [invented(number, words, chance)], [WORDS] * SENTENCES)
            FileRows(store).finish(file_id, 1, 1, read_by="markdown 1")
        names = [f"{chance.choice(words)} {chance.choice(words)} {number}" for number in range(entities - len(YEARS))]
        ids = GraphRows(store).put_nodes(NodeType.ENTITY, [(name, name) for name in (*names, *map(str, YEARS))])
        numbers = np.random.default_rng(1)
        weights = 1 / np.arange(1, len(ids) + 1) ** 0.7
        sentences = numbers.choice(TextRows(store).sentence_table().ids, mentions)
        pairs = np.stack([sentences, numbers.choice(ids, mentions, p=weights / weights.sum())], axis=1)
        pairs = np.unique(pairs, axis=0)
        GraphRows(store).add_edges(EdgeType.MENTION, pairs[:, 0], pairs[:, 1], np.ones(len(pairs)))
    with Store.open(folder, write=True) as store:
        Snapshot.open(store)  # as indexing leaves it


async def until(pilot: Any, is_so: Callable[[], object]) -> None:
    while not is_so():
        await pilot.pause(0.005)


async def timed(name: str, actions: Iterable[Callable[[], Awaitable[object]]]) -> None:
    """Prints what each of some like actions takes."""
    taken, used = [], []
    for act in actions:
        started, thread_started = time.perf_counter(), time.thread_time()
        await act()
        taken.append(1000 * (time.perf_counter() - started))
        used.append(1000 * (time.thread_time() - thread_started))
    print(f"{name:34} {_figures(taken)}   {_figures(used)}  ({len(taken)})")


def _figures(values: list[float]) -> str:
    slow = sorted(values)[min(len(values) - 1, int(0.99 * len(values)))]
    return f"{median(values):8.1f} {slow:8.1f}"


async def look_at_all(folder: Path) -> None:
    """Opens every screen once."""
    tune_garbage_collector()
    session = Session(load_settings(vault=folder, models_dir=folder / "no-models"))
    async with NoderagApp(session).run_test(size=(120, 40)) as pilot:
        for key in ("f3", "f4", "3", "f5", "f6", "f2"):
            await pilot.press(key)
            await pilot.pause(3)
    session.close()


async def drive(folder: Path) -> None:
    session = Session(load_settings(vault=folder, models_dir=folder / "no-models"))
    app = NoderagApp(session)
    tune_garbage_collector()
    async with app.run_test(size=(120, 40)) as pilot:

        async def opened() -> None:
            await pilot.press("f4")
            await until(pilot, lambda: isinstance(app.screen, ExploreScreen))
            await until(pilot, lambda: app.screen.query_one(EntityList).count)

        async def dated() -> None:
            await pilot.press("3")
            await until(pilot, lambda: app.screen.query_one(TimelineList).count)

        def keys(*names: str) -> list[Callable[[], Awaitable[object]]]:
            return [lambda name=name: pilot.press(name) for name in names]

        async def shelved() -> None:
            await pilot.press("f3")
            await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
            await until(pilot, lambda: app.screen.query_one(DocumentTable).kept)

        print(f"{'':34} {'median':>8} {'p99':>8}   {'median':>8} {'p99':>8}")
        await timed("opening the library", [shelved])
        await timed("a document down", keys(*["down"] * 100))
        await timed("a page of documents down", keys(*["pagedown"] * 100))
        await timed("to the last document and back", keys(*["end", "home"] * 20))
        await pilot.press("slash")
        await timed("a letter of a filter", keys(*"note", *["backspace"] * 4, *"note 12", *["backspace"] * 7))
        await pilot.press("escape")
        await timed("opening (reads all entities)", [opened])
        await timed("a line down", keys(*["down"] * 100))
        await timed("a page down", keys(*["pagedown"] * 100))
        await timed("to the end and back", keys(*["end", "home"] * 20))
        await timed("a letter of a search", keys(*"word", *["backspace"] * 4, *"word12 9", *["backspace"] * 8))
        await pilot.press("escape")
        await timed("the timeline (reads all dates)", [dated])
        await timed("a page of the timeline", keys(*["pagedown"] * 100))
    session.close()


def main() -> None:
    """Makes, drives, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--mentions", type=int, default=500_000)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    sizes = (asked.documents, asked.entities, asked.mentions)
    if asked.make:
        make(asked.make, *sizes)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "vault"
        # Elsewhere: what making takes is no part of what the interface holds.
        words = [f"--{name}={size}" for name, size in zip(("documents", "entities", "mentions"), sizes, strict=True)]
        subprocess.run([sys.executable, __file__, "--make", str(folder), *words], check=True)
        if asked.memory:
            asyncio.run(look_at_all(folder))
            print(f"memory at its highest: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
        else:
            asyncio.run(drive(folder))


if __name__ == "__main__":
    main()
