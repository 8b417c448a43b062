#!/usr/bin/env python3
"""Kills an enrichment at random instants, resumes it, and compares the graph with that of an unbroken run.

    .venv/bin/python scripts/bench/killed.py MODEL.gguf FOLDER [--kills 30] [--seed 1]

FOLDER is a small folder of notes. Both vaults are enriched by the real model until nothing is left. Reports whether the digests are
equal, and how many calls were answered twice: only those in flight at a kill may be.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.models.llm.engine import Outcome, Request, never
from noderag_local.models.llm.llamacpp.llama import LlamaEngine
from noderag_local.models.llm.request_hash import request_hash
from noderag_local.pipeline.budget import Budget
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.vault.vault import Vault


class Counted(LlamaEngine):
    """Notes every answer in a file before it hands it over."""

    log: Path

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        asked: list[str] = []

        def noted() -> Iterator[Request]:
            for request in requests:
                asked.append(request_hash(request))
                yield request

        for outcome in super().generate(noted(), cancelled):
            with self.log.open("a", encoding="ascii") as file:
                file.write(asked[outcome.number] + "\n")
            yield outcome


def enrich(model: Path, vault: Path, log: Path) -> None:
    """To the end; this is what is killed."""
    import noderag_local.models.llm.llamacpp.llama as llama

    Counted.log = log
    llama.LlamaEngine = Counted  # type: ignore[misc]
    with Vault(vault, load_settings(models_dir=model.parent, model=model.stem)) as opened:
        opened.enrichment.run(Budget())


def child(arguments: argparse.Namespace, vault: Path, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, str(arguments.model), str(arguments.folder), "--enrich", str(vault), str(log)]
    return subprocess.Popen(command, start_new_session=True)


def killed_often(arguments: argparse.Namespace, vault: Path, log: Path, unbroken_seconds: float) -> int:
    """Starts it again and again until it comes to its end; how many kills hit."""
    chance = random.Random(arguments.seed)
    hits = 0
    while True:
        process = child(arguments, vault, log)
        patience = chance.uniform(0, 2 * unbroken_seconds / arguments.kills) + 2 if hits < arguments.kills else None
        try:
            if process.wait(patience):
                sys.exit("the enrichment failed")
            return hits
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            hits += 1


def graph(vault: Path) -> str:
    with Store.open(vault, write=False) as store:
        return digest(store)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--enrich", nargs=2, type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.enrich:
        enrich(arguments.model.resolve(), *arguments.enrich)
        return
    with tempfile.TemporaryDirectory() as scratch:
        unbroken, broken = Path(scratch, "unbroken"), Path(scratch, "broken")
        with Vault(unbroken, load_settings()) as vault:
            vault.index([arguments.folder])
        shutil.copytree(unbroken, broken)
        started = time.perf_counter()
        if child(arguments, unbroken, Path(scratch, "calls")).wait():
            sys.exit("the enrichment failed")
        seconds = time.perf_counter() - started
        hits = killed_often(arguments, broken, Path(scratch, "broken calls"), seconds)
        calls = Counter(Path(scratch, "calls").read_text().split())
        again = Counter(Path(scratch, "broken calls").read_text().split())
        print(
            f"unbroken: {sum(calls.values())} calls, {seconds:.0f} s; broken: {hits} kills, {sum(again.values())} calls"
        )
        print(f"answered twice: {sum(count - 1 for count in again.values())}, at most {max(again.values())} times")
        equal = graph(unbroken) == graph(broken)
        print("the graphs are equal" if equal else "THE GRAPHS DIFFER")
        sys.exit(not equal)


if __name__ == "__main__":
    main()
