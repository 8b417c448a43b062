#!/usr/bin/env python3
"""Forgets notes one by one and looks for what is left of them, in every file of the vault.

    .venv/bin/python scripts/bench/forget.py [--documents 200] [--kept 40] [--seed 1]

Every note has words of its own, of random letters: in its file name, title, heading, tags and text. The real pipeline indexes them
with notes that stay, an engine that answers by a rule fills the language model's tier, and a conversation quotes each note. After
each forgetting no beginning or end of these words may stand in the bytes of any file (UTF-8 and UTF-16, any case), and no word in the
full-text indexes. In the end the vault must have the digest of one that never had these notes.
"""

from __future__ import annotations

import argparse
import random
import statistics
import string
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ruled_answers import answered

from noderag_local.config import load_settings
from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import plan
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.conversations.conversations import Turn
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.fulltext import VOCABULARIES
from noderag_local.vault.vault import Vault

LETTERS = 14
END = 8
"""Letters of the beginning and the end of a word that are looked for: FTS5 stores the rest of a word that begins as another."""
TOWNS = ("Vienna", "Porto", "Ghent", "Bergen", "Oslo", "Turin", "Lyon")


@dataclass(frozen=True)
class Note:
    """A note and the words that only it has."""

    path: Path
    words: tuple[str, ...]


def write_notes(folder: Path, count: int, chance: random.Random, kind: str) -> list[Note]:
    """Notes that name towns and each other, so that their graph hangs together."""
    folder.mkdir(parents=True)
    notes: list[Note] = []
    for number in range(count):
        words = tuple("".join(chance.choices(string.ascii_lowercase, k=LETTERS)) for _ in range(7))
        file, title, heading, tag, name, thing, deed = words
        here, there = chance.sample(TOWNS, 2)
        path = folder / f"{kind} {file}.md"
        path.write_text(
            f"---\ntags: [{tag}, travel]\n---\n# {title.title()} of {here}\n\n{name.title()} met Ada Berg in {here} on "
            f"{number % 28 + 1} May 2021. The {thing} was {deed} near the harbour.\n\n## {heading.title()}\n\n"
            f"In {there}, {name.title()} bought a {thing} from Ada Berg. #{tag}\n",
            "utf-8",
        )
        notes.append(Note(path, words))
    return notes


def fill(folder: Path) -> None:
    """The language model's tier, to the end."""
    with Store.open(folder, write=True) as store:
        engine = ScriptedEngine(reply=answered)
        report = enrich(store, plan(lambda: SentenceTransformerEmbedder(2)), engine, Budget())
        if not report.is_complete:
            sys.exit(f"enriching failed: {report.error}")


def talk(vault: Vault, notes: Sequence[Note]) -> None:
    """A conversation about each note."""
    for note in notes:
        found = vault.search(f"What did {note.words[4].title()} buy?", budget_tokens=150)
        if any(source.path == str(note.path) for source in found.sources):
            vault.conversations.add(None, Turn("What was bought?", "", f"A {note.words[5]} [1].", found))


def needles(notes: Sequence[Note]) -> set[bytes]:
    """Beginnings and ends of the words, as a file may have them."""
    parts = {part for note in notes for word in note.words for part in (word[:END], word[-END:])}
    spelled = {way for part in parts for way in (part, part.title(), part.upper())}
    return {way.encode(code) for way in spelled for code in ("utf-8", "utf-16-le", "utf-16-be")}


def left_in(folder: Path, notes: Sequence[Note]) -> Iterator[str]:
    """What is found of some notes, each with its file."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            name = str(path.relative_to(folder)).encode()
            yield from (f"{name.decode()}: {one!r}" for one in needles(notes) if one in content or one in name)
    words = {word for note in notes for word in note.words}
    with Store.open(folder, write=False) as store:
        store.make_temporary(VOCABULARIES)
        for table in ("words_of_chunks", "words_of_entities"):
            for (term,) in store.rows(f"SELECT DISTINCT term FROM temp.{table}"):
                if any(word in term for word in words):
                    yield f"{table}: {term}"


def graph(folder: Path) -> str:
    with Store.open(folder, write=False) as store:
        return digest(store)


def forget_all(vault: Vault, notes: Sequence[Note]) -> tuple[list[float], int]:
    """Seconds of each forgetting, and in how many cases something was left."""
    seconds, leaks = [], 0
    for number, note in enumerate(notes):
        started = time.perf_counter()
        report = vault.forget([note.path])
        seconds.append(time.perf_counter() - started)
        left = list(left_in(vault.folder, [note]))
        if left or report.has_traces:
            leaks += 1
            print(f"{note.path.name}: {len(left)} left, such as {left[:6]}")
        if (number + 1) % 50 == 0:
            print(f"{number + 1} forgotten, {leaks} left something", flush=True)
    return seconds, leaks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--kept", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as scratch:
        notes = Path(scratch, "notes")
        write_notes(notes, arguments.kept, chance, "kept")
        secret = write_notes(notes / "secret", arguments.documents, chance, "secret")
        # A backup of before would rightly have all of it.
        settings = load_settings(models_dir=Path(scratch, "no-models"), automatic_backups=False)
        with Vault(Path(scratch, "vault"), settings) as vault, Vault(Path(scratch, "never"), settings) as never:
            vault.index([notes])
            fill(vault.folder)
            talk(vault, secret)
            seen = sum(any(left_in(vault.folder, [note])) for note in secret[:10])
            print(f"before: words of {seen} of {len(secret[:10])} notes found, as they should be", flush=True)
            seconds, leaks = forget_all(vault, secret)
            # The folder is still there, and indexing it again must bring no name back.
            vault.index([notes])
            again = list(left_in(vault.folder, secret))
            for note in secret:
                note.path.unlink()
            never.index([notes])
            fill(vault.folder)
            fill(never.folder)
            equal = graph(vault.folder) == graph(never.folder)
            talks = len(vault.conversations.all())
        print(f"{len(secret)} forgotten one by one, median {statistics.median(seconds):.2f} s: {leaks} left something")
        print(f"after indexing again {len(again)} words are found{': ' * bool(again)}{', '.join(again[:6])}")
        print(f"{talks} conversations are left; the graphs are {'equal' if equal else 'NOT EQUAL'}")
        sys.exit(not (equal and seen and not leaks and not again))


if __name__ == "__main__":
    main()
