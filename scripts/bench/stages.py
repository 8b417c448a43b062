#!/usr/bin/env python3
"""Where the time of indexing goes, stage by stage: both tiers, from an empty vault.

    .venv/bin/python scripts/bench/stages.py CORPUS [--lines] [--enrich --share 0.1]

CORPUS is what `noderag index` takes. Options from --enrich on are handed to `noderag enrich`; without it only the tier without a
language model is measured. Prints seconds and share of each stage, and peak memory of each command. Imports and the
opening of models are in "the rest". Nothing else should be running.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from measured import Measured, measured

NODERAG = [sys.executable, "-m", "noderag_local"]


def told(name: str, cost: Measured, stages: Iterable[tuple[str, float, str]]) -> None:
    """One table."""
    print(f"{name}: {cost.seconds:.1f} s, peak {cost.peak_rss_bytes / 1e6:.0f} MB")
    rest = cost.seconds
    for stage, seconds, remark in stages:
        rest -= seconds
        print(f"  {stage:12} {seconds:8.1f} s {seconds / cost.seconds:6.1%}  {remark}")
    print(f"  {'the rest':12} {rest:8.1f} s {rest / cost.seconds:6.1%}", flush=True)


def index(corpus: Path, by_lines: bool, vault: str) -> None:
    cost = measured([*NODERAG, "index", str(corpus), "--vault", vault, "--json", *["--lines"] * by_lines])
    report = json.loads(cost.output)
    told("index", cost, ((stage["stage"], stage["seconds"], "") for stage in report["stages"]))


def enrich(options: list[str], vault: str) -> None:
    cost = measured([*NODERAG, "enrich", "--vault", vault, "--json", *options])
    report = json.loads(cost.output)
    asked = [
        (
            stage["name"],
            stage["seconds"],
            f"{stage['calls']} calls, {stage['read_tokens'] + stage['written_tokens']} tokens",
        )
        for stage in report["stages"]
    ]
    told("enrich", cost, [*asked, *((name, seconds, "") for name, seconds in report["steps"])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--enrich", nargs=argparse.REMAINDER, help="and what follows it: options of `noderag enrich`")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as vault:
        index(arguments.corpus, arguments.lines, vault)
        if arguments.enrich is not None:
            enrich(arguments.enrich, vault)


if __name__ == "__main__":
    main()
