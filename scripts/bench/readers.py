#!/usr/bin/env python3
"""What a search costs while ten processes search one vault and another one writes to it.

    .venv/bin/python scripts/bench/readers.py [--readers 10] [--seconds 20] [--pause 1] [--read-only]

Makes a vault of the notes of Lisbon in a temporary folder. Each reader searches twice a second; the writer changes a note, indexes
and waits for the pause. With --read-only, which needs root on Linux, the readers see the folder through a read-only mount, where
they have no locks. Prints for one reader alone, for all without the writer and for all with it: searches, milliseconds, errors.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from noderag_local.evaluation.metrics import percentile

NOTES = Path(__file__).parents[2] / "tests" / "data" / "lives" / "lisbon" / "notes"
READ = """
import json, sys, time
from pathlib import Path
from noderag_local import NoderagError, Vault, load_settings
settings, times, errors = load_settings(vault=Path(sys.argv[1])), [], []
questions = ("When does the lease end?", "Who wrote about the roof?", "How much was the rent?")
with Vault(settings.vault, settings) as vault:
    vault.search(questions[0])
    print("ready", flush=True)
    sys.stdin.readline()
    end = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        started = time.perf_counter()
        try:
            assert vault.search(questions[len(times) % 3]).sources
        except NoderagError as error:
            errors.append(str(error))
        times.append(1000 * (time.perf_counter() - started))
        time.sleep(0.5)
print(json.dumps([times, errors]))
"""
WRITE = """
import sys, time
from pathlib import Path
from noderag_local import Vault, load_settings
from noderag_local.vault.index import LoadedModels
settings = load_settings(vault=Path(sys.argv[1]), automatic_backups=False)
notes, models, runs = Path(sys.argv[3]), LoadedModels(settings), 0
print("ready", flush=True)
sys.stdin.readline()
end = time.monotonic() + float(sys.argv[2])
with Vault(settings.vault, settings) as vault:
    while time.monotonic() < end:
        (notes / f"new{runs % 7}.md").write_text(f"# Visit {runs}\\n\\nMaria Lopes saw the roof of house {runs}.\\n")
        vault.index([notes], models=models)
        runs += 1
        time.sleep(float(sys.argv[4]))
print(runs)
"""


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def measured(seen: Path, vault: Path, notes: Path, readers: int, seconds: float, pause: float | None) -> None:
    reading = [started(READ, seen, seconds) for _ in range(readers)]
    writing = [] if pause is None else [started(WRITE, vault, seconds, notes, pause)]
    for process in (*reading, *writing):
        assert process.stdout and process.stdout.readline() == "ready\n"
    for process in (*reading, *writing):
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    told = [json.loads(process.communicate()[0]) for process in reading]
    runs = writing[0].communicate()[0].strip() if writing else "no"
    times = sorted(one for found, _ in told for one in found)
    errors = [error for _, found in told for error in found]
    at = [percentile(times, share) for share in (0.5, 0.95)]
    spread = f"p50 {at[0]:.0f} ms, p95 {at[1]:.0f} ms, slowest {times[-1]:.0f} ms"
    print(
        f"{readers} readers, {runs} runs of a writer: {len(times)} searches, {spread}, {len(errors)} errors", flush=True
    )
    for error in sorted(set(errors)):
        print(f"  {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two runs of the writer")
    parser.add_argument("--read-only", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        notes, vault, share = (
            Path(shutil.copytree(NOTES, Path(name, "notes"))),
            Path(name, "vault"),
            Path(name, "share"),
        )
        first = started(WRITE, vault, 0.1, notes, 0)
        first.communicate("\n")
        if given.read_only:
            share.mkdir()
            subprocess.run(["mount", "--bind", vault, share], check=True)
            subprocess.run(["mount", "-o", "remount,ro,bind", share], check=True)
        seen = share if given.read_only else vault
        try:
            for readers, pause in ((1, None), (given.readers, None), (given.readers, given.pause)):
                measured(seen, vault, notes, readers, given.seconds, pause)
        finally:
            if given.read_only:
                subprocess.run(["umount", share], check=True)


if __name__ == "__main__":
    main()
