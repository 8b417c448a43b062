#!/usr/bin/env python3
"""One paragraph changed: indexed again, against indexing everything.

    .venv/bin/python scripts/bench/change.py CORPUS [--lines] [--changes 5] [--vault DIR]

CORPUS is a text file with a document a line (--lines) or a JSON Lines file of {title, text}. A copy of it is indexed into
an empty vault, then one paragraph after the other, spread over the file, gets a sentence more and the file is indexed
again, in the same process, with the models loaded. In the end the changed corpus is indexed into another empty vault.

Prints the seconds of each (of the clock, and of the processor), the medians, their ratio, and whether the two vaults
have the same digest. Nothing else should be running. --vault keeps the vaults, and goes on with a first one it finds.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from noderag_local.config import load_settings
from noderag_local.models.embedding.embedding_model import builtin_model
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.system.disk.private_files import copy_private, make_private_folder, write_private
from noderag_local.vault.index import LoadedModels
from noderag_local.vault.vault import Vault

MORE = " It was painted in {year} by Ada Quimby."


def changed(line: str, year: int) -> str:
    """A paragraph with a sentence more."""
    if not line.startswith("{"):
        return line + MORE.format(year=year)
    record = json.loads(line)
    return json.dumps(record | {"text": record["text"] + MORE.format(year=year)}, ensure_ascii=False)


def indexed(vault: Vault, corpus: Path, by_lines: bool, models: LoadedModels) -> tuple[float, float]:
    """Seconds of the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    report = vault.index([corpus], by_lines=by_lines, models=models)
    took = time.perf_counter() - clock, time.process_time() - processor
    stages = ", ".join(f"{stage.stage} {stage.seconds:.3f}" for stage in report.stages)
    print(f"{took[0]:9.3f} s  {took[1]:9.3f} s processor  +{report.added} -{report.removed}  ({stages})", flush=True)
    return took


def digest_of(folder: Path) -> str:
    with Store.open(folder, write=False) as store:
        return digest(store)


def run(arguments: argparse.Namespace, scratch: Path) -> None:
    corpus = scratch / f"corpus{arguments.corpus.suffix}"
    if not corpus.exists():
        copy_private(arguments.corpus, corpus)
    settings = load_settings()
    models = LoadedModels(settings)
    started = time.perf_counter()
    assert models.embedder(builtin_model()).dim
    assert models.context_counter
    print(f"models loaded in {time.perf_counter() - started:.1f} s")
    with Vault(scratch / "followed", settings) as vault:
        full = indexed(vault, corpus, arguments.lines, models)
        lines = corpus.read_text(encoding="utf-8").splitlines()
        again = []
        for number in range(arguments.changes):
            at = (2 * number + 1) * len(lines) // (2 * arguments.changes)
            lines[at] = changed(lines[at], 1900 + number)
            write_private(corpus, "\n".join(lines) + "\n")
            again.append(indexed(vault, corpus, arguments.lines, models))
    shutil.rmtree(scratch / "fresh", ignore_errors=True)
    with Vault(scratch / "fresh", settings) as vault:
        fresh = indexed(vault, corpus, arguments.lines, models)
    for name, column in (("clock", 0), ("processor", 1)):
        whole, part = median((full[column], fresh[column])), median(one[column] for one in again)
        print(f"{name}: full {whole:.1f} s, one paragraph {part:.3f} s, 1/{whole / part:.0f}")
    same = digest_of(scratch / "followed") == digest_of(scratch / "fresh")
    print(f"digests are {'equal' if same else 'NOT equal'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--changes", type=int, default=5)
    parser.add_argument("--vault", type=Path)
    arguments = parser.parse_args()
    if arguments.vault:
        make_private_folder(arguments.vault)
        run(arguments, arguments.vault)
        return
    with tempfile.TemporaryDirectory() as scratch:
        run(arguments, Path(scratch))


if __name__ == "__main__":
    main()
