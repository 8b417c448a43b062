#!/usr/bin/env python3
"""A vault of a given size: how long one changed document takes, stage by stage, and how long nothing is told meanwhile.

    .venv/bin/python scripts/bench/sizes.py FOLDER CORPUS --documents 40000 [--changes 5] [--seconds 500] [--search]

Makes the notes of `made_notes.py` in FOLDER and indexes them with the vectors of `bank_vectors.py`; both stay there, and the
next call goes on with them. CORPUS is a text file of paragraphs. Indexing ends after --seconds; call again to go on. When all
is indexed, one note after the other gets a sentence more and the folder's file is indexed again, as `noderag watch` does,
with the models loaded. Prints the seconds of the clock and of the processor, those of each stage, the longest time between two
signs of progress, and the peak of memory. With --search, nothing is indexed: `noderag search` is run from a cold start, in a process of its
own, and then 24 questions in one process. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bank_vectors import BankEmbedder, BankModels
from made_notes import IN_A_FOLDER, MAIL_SHARE, Notes, write_notes
from measured import measured

from noderag_local.config import Settings, load_settings
from noderag_local.domain.progress import Progress
from noderag_local.vault.vault import Vault

QUESTION = "Who wrote the series which aired on the second channel?"


@dataclass
class Silence:
    """Measures the longest time without a sign of progress."""

    longest: float = 0.0
    """Seconds."""
    stage: str = ""
    """What was told at the end of it."""
    _last: float = field(default_factory=time.perf_counter)

    def told(self, progress: Progress) -> None:
        self.end(f"{progress.stage} {progress.done}/{progress.total}")

    def end(self, stage: str = "the end") -> None:
        now = time.perf_counter()
        if now - self._last > self.longest:
            self.longest, self.stage = now - self._last, stage
        self._last = now


def indexed(vault: Vault, paths: list[Path], models: BankModels, seconds: float) -> tuple[float, bool]:
    """Returns the seconds of the clock, and whether the run came to its end."""
    silence, clock, processor = Silence(), time.perf_counter(), time.process_time()
    report = vault.index(
        paths, models=models, progress=silence.told, cancelled=lambda: time.perf_counter() - clock > seconds
    )
    silence.end()
    took = time.perf_counter() - clock
    stages = ", ".join(f"{stage.stage} {stage.seconds:.3f}" for stage in report.stages)
    print(
        f"{took:8.3f} s  {time.process_time() - processor:8.3f} s processor  +{report.added} -{report.removed}  ({stages});"
        f" silent for {silence.longest:.2f} s before {silence.stage}; peak {_peak_megabytes():,.0f} MB",
        flush=True,
    )
    return took, not report.stopped


def _peak_megabytes() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def change(notes: Path, number: int) -> Path:
    """Adds a sentence to a note and returns its path."""
    number -= number % MAIL_SHARE
    path = notes / "notes" / f"{number // IN_A_FOLDER:04}" / f"{number:07}.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\nIn {1900 + len(text)} it was painted by Ada Quimby.\n", encoding="utf-8")
    return path


def run(arguments: argparse.Namespace, settings: Settings) -> None:
    folder: Path = arguments.folder
    notes = folder / "notes"
    write_notes(notes, Notes(arguments.corpus), arguments.documents)
    models = BankModels(settings, BankEmbedder(arguments.corpus, folder / "bank.npy", settings))
    assert models.context_counter
    with Vault(folder / "vault", settings) as vault:
        _, is_whole = indexed(vault, [notes], models, arguments.seconds)
        if not is_whole:
            print("not finished: call again to go on")
            return
        step = arguments.documents // (arguments.changes + 1)
        paths = [change(notes, (at + 1) * step) for at in range(arguments.changes)]
        took = [indexed(vault, [path], models, arguments.seconds)[0] for path in paths]
    # The first change loads the vectors, the others find them loaded.
    print(f"one document changed: first {took[0]:.2f} s, then {median(took[1:] or took):.2f} s")


def search(vault: Path, corpus: Path, settings: Settings) -> None:
    """Prints what a search costs: cold three times, then warm."""
    command = [sys.executable, "-m", "noderag_local", "search", QUESTION, "--vault", str(vault)]
    for _ in range(3):
        cost = measured(command, HF_HUB_OFFLINE="1", NODERAG_RESIDENT="false")
        print(f"cold: {cost.seconds:.2f} s, {cost.peak_rss_bytes / 1e6:,.0f} MB")
    notes, took = Notes(corpus), list[float]()
    asked = [f"What was painted by {notes.name(random.Random(number))}?" for number in range(24)]
    with Vault(vault, settings) as opened:
        for question in [QUESTION, *asked]:
            started = time.perf_counter()
            opened.search(question, budget_tokens=1000)
            took.append(time.perf_counter() - started)
    print(f"warm: {1000 * median(took[1:]):.0f} ms, median of {len(asked)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--changes", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=500.0)
    parser.add_argument("--search", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.search:
        search(arguments.folder / "vault", arguments.corpus, load_settings())
        return
    run(arguments, load_settings())


if __name__ == "__main__":
    main()
