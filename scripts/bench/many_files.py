#!/usr/bin/env python3
"""Indexes a folder of many small files, again without a change, and again with one: time and memory.

    .venv/bin/python scripts/bench/many_files.py [--files 100000] [--in-a-folder 1000]

Every file is one line of two sentences. The command itself runs, with its embedding model.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from measured import measured

from noderag_local.ingest.scan.scan import scan

NAMES = ("Ada", "Bob", "Carol", "Dora", "Emil", "Flora", "Gustav", "Hanna")
TOWNS = ("Vienna", "Porto", "Ghent", "Bergen", "Oslo", "Turin", "Lyon")


def text_of(number: int) -> str:
    name, town = NAMES[number % len(NAMES)], TOWNS[number % len(TOWNS)]
    return f"On day {number} {name} went to {town}. It was note {number * 7919 % 100_003} of the year.\n"


def write_files(folder: Path, files: int, in_a_folder: int) -> None:
    for number in range(files):
        below = folder / str(number // in_a_folder)
        below.mkdir(parents=True, exist_ok=True)
        (below / f"{number}.md").write_text(text_of(number), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--in-a-folder", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        notes, vault = Path(scratch) / "notes", Path(scratch) / "vault"
        write_files(notes, arguments.files, arguments.in_a_folder)
        started = time.perf_counter()
        found = scan([notes], 1 << 20)
        print(f"scan: {time.perf_counter() - started:.2f} s for {len(found.files):,} files", flush=True)
        command = [sys.executable, "-m", "noderag_local", "index", str(notes), "--vault", str(vault)]
        for what in ("first", "unchanged", "one changed"):
            if what == "one changed":
                (notes / "0" / "0.md").write_text("Bob stayed in Vienna all the same.\n", encoding="utf-8")
            cost = measured(command, HF_HUB_OFFLINE="1")
            print(
                f"{what}: {cost.seconds:.1f} s, {cost.peak_rss_bytes / 2**20:,.0f} MiB, {cost.output.splitlines()[0]}",
                flush=True,
            )
        size = sum(path.stat().st_size for path in vault.rglob("*") if path.is_file())
        print(f"vault: {size / 2**20:,.0f} MiB")


if __name__ == "__main__":
    main()
