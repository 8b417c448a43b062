"""Measures `noderag search` from the shell with the resident process, without it, and `grep -r` beside it, in turns.

    resident.py VAULT NOTES QUESTIONS [--rounds 40]

VAULT is the index of the folder NOTES, such as one of made_notes.py; QUESTIONS is a text file, one a line. Each round takes one
question: a search with the resident process, then `rg -i` or, where there is none, `grep -ri` for its longest word over the same
notes; each fifth round also a search without the resident process. Prints percentiles, their ratio in pairs, and the memory.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from noderag_local.evaluation.metrics import percentile
from noderag_local.interfaces.resident.leaving import told_by_resident

WITHOUT_EACH = 5


def seconds(command: Sequence[str], **variables: str) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False, env={**os.environ, **variables})
    return time.perf_counter() - started


def shown(what: str, taken: list[float]) -> None:
    ordered = sorted(1000 * one for one in taken)
    at95 = percentile(ordered, 0.95)
    print(f"{what}: p50 {median(ordered):.0f} ms, p95 {at95:.0f} ms, slowest {ordered[-1]:.0f} ms, of {len(ordered)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("notes", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    questions = given.questions.read_text(encoding="utf-8").splitlines()
    grep = ["rg", "-i"] if shutil.which("rg") else ["grep", "-ri"]
    noderag = str(Path(sys.executable).with_name("noderag"))
    search = [noderag, "search", "--vault", str(given.vault)]
    seconds([*search, "warm"])
    while told_by_resident("tell") is None:
        time.sleep(0.1)
    resident, without, grepped = list[float](), list[float](), list[float]()
    for number in range(given.rounds):
        question = questions[number % len(questions)]
        resident.append(seconds([*search, question]))
        grepped.append(seconds([*grep, max(question.split(), key=len), str(given.notes)]))
        if number % WITHOUT_EACH == 0:
            without.append(seconds([*search, question], NODERAG_RESIDENT="false"))
    told = told_by_resident("tell")
    assert told is not None and told["commands"] >= given.rounds, "the resident process did not answer everything"
    shown("resident", resident)
    shown("without", without)
    shown(" ".join(grep), grepped)
    ratios = [one / other for one, other in zip(resident, grepped, strict=True)]
    print(f"resident to {grep[0]}, in pairs: median {median(ratios):.1f}")
    print(
        f"resident process: {told['memory_bytes'] / 1e6:.0f} MB after {told['commands']} searches; load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
