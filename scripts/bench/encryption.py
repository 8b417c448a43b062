#!/usr/bin/env python3
"""What encryption costs: indexing, opening, and questions to an open vault, plain and encrypted in turn.

    .venv/bin/python scripts/bench/encryption.py VAULT QUESTIONS.json [--questions 20] [--rounds 5] [--notes FOLDER]

VAULT is copied and stays as it is; QUESTIONS is as for `noderag eval`. Prints medians, and with --notes the time to index a folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from measured import measured

from noderag_local.config import load_settings
from noderag_local.domain.graph import NodeType
from noderag_local.evaluation.questions import read_questions
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.vault.vault import Vault

PASSPHRASE = "for measuring alone"
FORMS = ("plain", "encrypted")


def vault_at(folder: Path) -> Vault:
    """One that makes no backups of its own accord."""
    return Vault(folder, load_settings(vault=folder, automatic_backups=False))


def seconds_of(do: Callable[[], object]) -> float:
    started = time.perf_counter()
    do()
    return time.perf_counter() - started


def open_parts(folder: Path) -> Iterator[tuple[str, float]]:
    """What a question needs first, part by part, in seconds."""
    started = time.perf_counter()
    with Store.open(folder, write=False) as store:
        yield "open the database", time.perf_counter() - started
        yield "read the snapshot", seconds_of(lambda: Snapshot.open(store))
        yield "read the vectors", seconds_of(lambda: VectorRows(store).matrix(NodeType.SENTENCE))


def asked(folder: Path, questions: list[str]) -> list[float]:
    """Seconds of each question to an open vault that has answered one before."""
    with vault_at(folder) as vault:
        vault.search(questions[0])
        return [seconds_of(lambda question=question: vault.search(question)) for question in questions]


def indexed(folder: Path, notes: Path, encrypted: bool, secret: Path) -> float:
    """Seconds of `noderag index`, the start included."""
    shutil.rmtree(folder, ignore_errors=True)
    if encrypted:
        with vault_at(folder) as vault:
            vault.encryption.encrypt(PASSPHRASE)
    command = [sys.executable, "-m", "noderag_local", "index", str(notes), "--vault", str(folder)]
    return measured(command, NODERAG_PASSPHRASE_FILE=str(secret)).seconds


def main() -> None:
    """Measures and prints one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vault", type=Path)
    parser.add_argument("questions_file", type=Path)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--notes", type=Path)
    arguments = parser.parse_args()
    questions = [question.question for question in read_questions(arguments.questions_file)[: arguments.questions]]
    found: dict[str, dict[str, list[float]]] = {}

    def note(what: str, form: str, seconds: float) -> None:
        found.setdefault(what, {}).setdefault(form, []).append(seconds)

    with tempfile.TemporaryDirectory() as scratch:
        os.environ["NODERAG_STATE"] = str(Path(scratch) / "state")
        secret = Path(scratch) / "secret"
        secret.write_text(PASSPHRASE, "utf-8")
        os.environ["NODERAG_PASSPHRASE_FILE"] = str(secret)
        folders = {form: Path(scratch) / form for form in FORMS}
        for folder in folders.values():
            shutil.copytree(arguments.vault, folder, ignore=shutil.ignore_patterns("backups"))
            # Brings an older format up to date.
            Store.open(folder, write=True).close()
        with vault_at(folders["encrypted"]) as vault:
            print(f"encrypting: {seconds_of(lambda: vault.encryption.encrypt(PASSPHRASE)):.2f} s")
        digests = set()
        for folder in folders.values():
            with Store.open(folder, write=False) as store:
                Snapshot.open(store)
                digests.add(digest(store))
        print(f"digests are {'equal' if len(digests) == 1 else 'DIFFERENT'}")
        for form in (*FORMS * arguments.rounds,):
            for what, seconds in open_parts(folders[form]):
                note(what, form, seconds)
            for seconds in asked(folders[form], questions):
                note("a question, warm", form, seconds)
            if arguments.notes:
                note("index the notes", form, indexed(Path(scratch) / "new", arguments.notes, form != "plain", secret))
        for what, of in found.items():
            plain, encrypted = (1000 * statistics.median(of[form]) for form in FORMS)
            print(f"{what:20} plain {plain:9.1f} ms   encrypted {encrypted:9.1f} ms   {encrypted / plain:.2f}x")


if __name__ == "__main__":
    main()
