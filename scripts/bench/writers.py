#!/usr/bin/env python3
"""How long the first search takes after a writer has changed a large vault, and how long the writer takes.

    .venv/bin/python scripts/bench/writers.py FOLDER CORPUS forget|enrich|index [--runs 5] [--chunks 50]

FOLDER and CORPUS are those of a finished run of `sizes.py`. Each run forgets one note, or lets an engine that answers by a rule
read some chunks more, or indexes one changed note, and then starts `noderag search` in a process of its own. Nothing else should
be running.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median

from bank_vectors import BankEmbedder, BankModels
from measured import measured
from ruled_answers import answered
from sizes import QUESTION, change

from noderag_local.config import load_settings
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import plan
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.graph.work_items import WorkItemRows
from noderag_local.vault.vault import Vault


class Writers:
    """The writers of one vault."""

    def __init__(self, folder: Path, corpus: Path, chunks: int) -> None:
        self.vault, self._chunks = folder / "vault", chunks
        self._settings = load_settings(automatic_backups=False)
        self._embedder = BankEmbedder(corpus, folder / "bank.npy", self._settings)

    def forget(self) -> None:
        """Forgets the note in the middle of those that are left."""
        with Vault(self.vault, self._settings) as vault:
            vault.forget([self._middle()])

    def enrich(self) -> None:
        """Reads some chunks more than are read already, and runs all steps."""
        with Store.open(self.vault, write=True) as store:
            done = WorkItemRows(store).counts("decompose").done + self._chunks
            share = done / int(store.value("SELECT count(*) FROM chunks"))
            enrich(store, plan(lambda: self._embedder), ScriptedEngine(reply=answered), Budget(share=share))

    def index(self) -> None:
        """Adds a sentence to a note and indexes it."""
        middle = self._middle()
        change(middle.parents[2], int(middle.stem))
        with Vault(self.vault, self._settings) as vault:
            vault.index([middle], models=BankModels(self._settings, self._embedder))

    def _middle(self) -> Path:
        with Store.open(self.vault, write=False) as store:
            notes = sorted(path for path in FileRows(store).known() if path.endswith(".md"))
        return Path(notes[len(notes) // 2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("writer", choices=("forget", "enrich", "index"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--chunks", type=int, default=50)
    arguments = parser.parse_args()
    writers = Writers(arguments.folder, arguments.corpus, arguments.chunks)
    command = [sys.executable, "-m", "noderag_local", "search", QUESTION, "--vault", str(writers.vault)]
    wrote, searched = list[float](), list[float]()
    for _ in range(arguments.runs):
        started = time.perf_counter()
        getattr(writers, arguments.writer)()
        wrote.append(time.perf_counter() - started)
        cost = measured(command, HF_HUB_OFFLINE="1", NODERAG_RESIDENT="false")
        searched.append(cost.seconds)
        print(f"{arguments.writer} {wrote[-1]:.2f} s, then a search {searched[-1]:.2f} s", flush=True)
    print(f"medians: {arguments.writer} {median(wrote):.2f} s, the first search {median(searched):.2f} s")


if __name__ == "__main__":
    main()
