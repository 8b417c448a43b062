#!/usr/bin/env python3
"""How long a question takes: warm, from a cold start, and what a cold start spends its time on.

    .venv/bin/python scripts/bench/search.py VAULT QA.json [--budget 1000] [--method noderag] [--cold 7]

VAULT was made by `noderag index` or `noderag eval --vault`. Prints
  the warm time over all questions, the question's embedding included (median, 95th percentile, slowest)
  the wall time of `noderag --help`, interpreter start included (median)
  the wall time of `noderag search` from a cold start (median), and how it divides: interpreter, each library's own
  import time (from -X importtime, which slows imports by a few per cent), and the rest, which is work.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import median

from measured import measured

from noderag_local.evaluation.metrics import percentile

SHOWN = 12
"""Libraries named in the breakdown; the others are summed up."""


def warm(vault_folder: Path, questions: list[str], method: str, budget: int) -> list[float]:
    """Milliseconds of each question but the first, which opens everything."""
    from noderag_local.config import load_settings
    from noderag_local.vault.vault import Vault

    with Vault(vault_folder, load_settings()) as vault:
        vault.search(questions[0], method=method, budget_tokens=budget)
        return sorted(vault.search(one, method=method, budget_tokens=budget).elapsed_ms for one in questions)


def wall(command: list[str], times: int) -> float:
    """Median milliseconds of a process."""
    return 1000 * median(measured(command, NODERAG_RESIDENT="false").seconds for _ in range(times))


def import_times(command: list[str]) -> Counter[str]:
    """Milliseconds that the modules of each library took themselves."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command[1:]],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NODERAG_RESIDENT": "false"},
    )
    spent: Counter[str] = Counter()
    for own, name in re.findall(r"^import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)$", done.stderr, re.MULTILINE):
        library = name.partition(".")[0]
        spent["standard library" if library.lstrip("_") in STANDARD else library] += int(own) / 1000
    return spent


STANDARD = {name.lstrip("_") for name in sys.stdlib_module_names} | {"zipimport", "site", "sitecustomize", "encodings"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--method", default="noderag")
    parser.add_argument("--cold", type=int, default=7, help="cold starts to take the median of")
    arguments = parser.parse_args()
    questions = [entry["question"] for entry in json.loads(arguments.questions.read_text(encoding="utf-8"))]

    times = warm(arguments.vault, questions, arguments.method, arguments.budget)
    print(
        f"warm, {len(times)} questions, {arguments.method}, {arguments.budget} tokens: median {median(times):.1f} ms, "
        f"95th percentile {percentile(times, 0.95):.1f} ms, slowest {times[-1]:.1f} ms"
    )
    noderag = [sys.executable, "-m", "noderag_local"]
    cold = [*noderag, "search", questions[0], "--vault", str(arguments.vault), "--method", arguments.method]
    print(f"noderag --help: {wall([*noderag, '--help'], arguments.cold):.0f} ms")
    whole = wall(cold, arguments.cold)
    bare = wall([sys.executable, "-c", "pass"], arguments.cold)
    spent = import_times(cold)
    print(f"noderag search, cold: {whole:.0f} ms, of it")
    print(f"  {bare:6.0f} ms  starting Python")
    for library, milliseconds in spent.most_common(SHOWN):
        print(f"  {milliseconds:6.0f} ms  importing {library}")
    print(f"  {spent.total() - sum(ms for _, ms in spent.most_common(SHOWN)):6.0f} ms  importing the rest")
    print(f"  {whole - bare - spent.total():6.0f} ms  work: opening the vault and the model, searching, printing")


if __name__ == "__main__":
    main()
