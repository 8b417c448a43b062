#!/usr/bin/env python3
"""Documents of a million elements in every format, and a mailbox of 200,000 letters, read with the limits that indexing has.

    .venv/bin/python scripts/bench/deep_documents.py [--elements 1000000] [--letters 200000] [--only html --only docx]

Makes each document of tests/hostile/deep_documents.py, reads it in a process of its own as indexing does, and prints its size, how
many documents came out, whether the sentence at its end is among them, the seconds and the largest memory that one of the processes
held, and what a person is told. Ends with 1 if a process needed more than the limits, or anything else than a document or a message
came out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from hostile.deep_documents import DOCUMENTS, SENTENCE, write_mailbox  # noqa: E402 - lies among the tests

from noderag_local.domain.documents import SourceFile  # noqa: E402
from noderag_local.ingest.chunks.parsed_document import Draft  # noqa: E402
from noderag_local.ingest.sandbox.worker_exchange import DEFAULT_LIMITS  # noqa: E402
from noderag_local.ingest.sync.read_files import Wanted, read_drafts  # noqa: E402

OWN_BYTES = 256 << 20
"""A process has this before it meets a file: Python, the libraries."""
SLACK_SECONDS = 60
"""Beside the limit of a file: starting, and a machine that does other things as well."""


def make_one(path: Path, elements: int, letters: int) -> None:
    if path.name in DOCUMENTS:
        path.write_bytes(DOCUMENTS[path.name](elements))
    else:
        write_mailbox(path, letters)


def read_one(path: Path) -> None:
    """Reads a file, and prints what came of it as JSON."""
    started = time.monotonic()
    documents, has_sentence, told = 0, False, []
    for found in read_drafts(Wanted(SourceFile(str(path), path.stat().st_size, 0))):
        if isinstance(found, Draft):
            documents += 1
            has_sentence = has_sentence or SENTENCE in found.text
        else:
            told.append(found.detail.replace(str(path), path.name))
    print(json.dumps([documents, has_sentence, time.monotonic() - started, told[:1]]))


def measured(path: Path) -> bool:
    """Reads a file in a process of its own, prints a line; whether all limits held."""
    with subprocess.Popen([sys.executable, __file__, "--one", str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    megabytes = path.stat().st_size / 2**20
    if process.returncode:
        print(f"{path.name:<18} {megabytes:7.1f}  FAILED, exit code {process.returncode}", flush=True)
        return False
    documents, has_sentence, seconds, told = json.loads(said)
    peak = usage.ru_maxrss << 10
    how = "whole" if has_sentence else "partly" if documents else "left out"
    message = told[0][:110] if told else ""
    print(
        f"{path.name:<18} {megabytes:7.1f} {documents:8} {how:<9} {seconds:7.1f} {peak >> 20:6}  {message}", flush=True
    )
    most = DEFAULT_LIMITS.memory_bytes + OWN_BYTES + 2 * path.stat().st_size
    return peak <= most and seconds <= DEFAULT_LIMITS.file_seconds + SLACK_SECONDS and bool(documents or told)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--letters", type=int, default=200_000)
    parser.add_argument("--only", action="append", default=[], help="formats, by suffix")
    parser.add_argument("--make", type=Path, help="make this file alone: what making it takes is not measured")
    parser.add_argument("--one", type=Path, help="read this file alone")
    asked = parser.parse_args()
    if asked.make:
        make_one(asked.make, asked.elements, asked.letters)
        return 0
    if asked.one:
        read_one(asked.one)
        return 0
    print(f"{'document':<18} {'MB':>7} {'read':>8} {'':<9} {'s':>7} {'MB':>6}  told")
    held = []
    with tempfile.TemporaryDirectory() as folder:
        for name in [*DOCUMENTS, "letters.mbox"]:
            path = Path(folder, name)
            if asked.only and path.suffix.removeprefix(".") not in asked.only:
                continue
            counts = [f"--elements={asked.elements}", f"--letters={asked.letters}"]
            subprocess.run([sys.executable, __file__, "--make", path, *counts], check=True)
            held.append(measured(path))
            path.unlink()
    print(f"{sum(held)} of {len(held)} within the limits")
    return int(not all(held))


if __name__ == "__main__":
    sys.exit(main())
