#!/usr/bin/env python3
"""The first index of a folder in one process, and by Ray on one and more cores of this machine, in the same run.

    .venv/bin/python scripts/bench/cluster.py FOLDER [--cores 1 2] [--repeat 3]

Each round indexes FOLDER into empty vaults, one after the other, in processes of their own: in one process with one thread, then
by Ray with each number of workers. Prints seconds, those of reading and embedding, and the ratio of the medians to the one
process; ends with an error if a vault differs. The start of Ray is counted apart, as it takes as long for any folder.

Two cores show no more than that the work is divided: Ray's own processes, the writer of the vault and two workers share them.
Nothing else should be running.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

INDEXED = """
import json, sys, time
from pathlib import Path
from noderag_local.system import offline
offline.install()
from noderag_local.config import Settings
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.vault.vault import Vault
folder, place, on, cores = sys.argv[1:]
begun = time.perf_counter()
with Vault(Path(place), Settings(threads=int(cores), automatic_backups=False)) as vault:
    report = vault.index([Path(folder)], on=on)
seconds = {stage.stage: stage.seconds for stage in report.stages}
start = time.perf_counter() - begun - report.elapsed_seconds
with Store.open(Path(place), write=False) as store:
    print(json.dumps({**seconds, "all": report.elapsed_seconds, "start": start, "digest": digest(store)}))
"""


def indexed(folder: Path, on: str, cores: int) -> dict[str, float | str]:
    """Returns the seconds of each stage, of all of them and of the start, and the digest of the vault."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-c", INDEXED, str(folder), str(Path(place) / "vault"), on, str(cores)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float | str] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=1)
    arguments = parser.parse_args()
    ways = {"one process": ("", 1)} | {f"Ray, {cores} workers": ("ray", cores) for cores in arguments.cores}
    found: dict[str, list[dict[str, float | str]]] = {name: [] for name in ways}
    for _ in range(arguments.repeat):
        for name, (on, cores) in ways.items():
            found[name].append(one := indexed(arguments.folder, on, cores))
            told = "  ".join(
                f"{part} {float(one.get(part, 0)):6.1f} s" for part in ("start", "reading", "embedding", "all")
            )
            print(f"{name:16} {told}", flush=True)
    medians = {name: median(float(one["all"]) for one in runs) for name, runs in found.items()}
    for name, seconds in medians.items():
        print(f"{name:16} {seconds:7.1f} s, {seconds / medians['one process']:.2f} of one process")
    digests = {one["digest"] for runs in found.values() for one in runs}
    print("the vaults are the same" if len(digests) == 1 else f"{len(digests)} DIFFERENT VAULTS")
    return len(digests) > 1


if __name__ == "__main__":
    sys.exit(main())
