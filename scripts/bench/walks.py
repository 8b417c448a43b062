#!/usr/bin/env python3
"""Walks at random through the interface of a vault with hostile notes, and prints the shortest walk for everything that breaks.

    .venv/bin/python scripts/bench/walks.py [--walks 500] [--first 1] [--longest 30] [--take "WALK"] [--show] [--long]

A walk presses keys, types, pastes, clicks, resizes the terminal, changes notes and starts jobs, with a scripted language model or
without one. Then it returns to the chat and leaves. After each step the screen must show no control character and no active
content of a note, and text that was typed but not sent must still be there. At the end nothing may wait for ever, escape must close
every dialog, and the program must end. All files are in a temporary folder.

A walk that breaks is shortened, unless an earlier one broke in the same way. The same numbers give the same walks.
--take repeats a walk that was printed. The exit code is 1 if a walk breaks.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from interfaces.tui.random_steps import Walk, random_walk, read_walk, shorter  # noqa: E402 - lie among the tests
from interfaces.tui.random_walk import WalkBroken, take_walk  # noqa: E402
from interfaces.tui.walk_grounds import WalkGround  # noqa: E402
from textual.worker import WorkerFailed  # noqa: E402

from noderag_local.system import offline  # noqa: E402

MOST_SHORTER = 40
"""Maximum number of times that a walk is made shorter."""


@dataclass
class Fault:
    """One way in which walks break."""

    told: str
    shortest: Walk
    times: int = 1


@dataclass
class Findings:
    """Results of all walks."""

    ground: WalkGround
    shows: bool = False
    shortens: bool = True
    taken: int = 0
    """Number of walks, without those that only shorten another."""
    faults: dict[str, Fault] = field(default_factory=dict)
    slow: Counter[str] = field(default_factory=Counter)
    """Longest duration in seconds of each step that took more than one second."""

    def take(self, walk: Walk) -> tuple[str, str] | None:
        """Runs a walk; returns what broke, as a key and in words."""
        began, worked = time.perf_counter(), time.process_time()
        try:
            for seconds, step in take_walk(self.ground, walk):
                self.slow[step] = max(self.slow[step], round(seconds, 1))  # type: ignore[assignment]
            broken = None
        except WalkBroken as error:
            broken = error.what, str(error)
        except Exception as failure:  # noqa: BLE001 - whatever the application fails with is what is looked for
            error = failure.error if isinstance(failure, WorkerFailed) else failure
            broken = _place_of(error), "".join(traceback.format_exception(error))[-3000:]
        if self.shows:
            took, processor = time.perf_counter() - began, time.process_time() - worked
            print(f"{took:5.1f} s, {processor:4.1f} s processor  {walk}  {broken[0] if broken else ''}", flush=True)
        return broken

    def search(self, count: int, first: int, longest: int) -> None:
        """Runs a number of walks, and shortens each one that breaks in a new way."""
        for number in range(first, first + count):
            walk = random_walk(number, longest)
            broken = self.take(walk)
            self.taken += 1
            if broken is None:
                continue
            key, told = broken
            if key in self.faults:
                self.faults[key].times += 1
                continue
            shortest = self._shortened(walk, key) if self.shortens else walk
            self.faults[key] = Fault(told, shortest)
            print(f"\nBROKEN {key}\n  {shortest}\n{told}", flush=True)

    def _shortened(self, walk: Walk, key: str) -> Walk:
        """Returns the shortest walk found that still breaks in this way."""
        for _ in range(MOST_SHORTER):
            for candidate in shorter(walk):
                broken = self.take(candidate)
                if broken is not None and broken[0] == key:
                    walk = candidate
                    break
            else:
                break
        return walk


def _place_of(error: BaseException) -> str:
    """Returns the kind of an exception and the last line of the package in its traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        frame for frame in frames if "noderag_local" in frame.filename and "/tests/" not in frame.filename
    ] or frames
    at = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    return f"{type(error).__name__} {at}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walks", type=int, default=500)
    parser.add_argument("--first", type=int, default=1, help="number of the first walk")
    parser.add_argument("--longest", type=int, default=30)
    parser.add_argument("--take", help="walk to repeat, as it was printed")
    parser.add_argument("--show", action="store_true", help="print each walk")
    parser.add_argument("--long", action="store_true", help="do not shorten the walks that break")
    arguments = parser.parse_args()
    offline.install()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        ground = WalkGround(Path(scratch) / "ground")
        with ground.surroundings():
            findings = Findings(ground, shows=arguments.show, shortens=not arguments.long)
            if arguments.take:
                broken = findings.take(read_walk(arguments.take))
                print("\n".join(broken) if broken else "Nothing broke.")
                return 1 if broken else 0
            findings.search(arguments.walks, arguments.first, arguments.longest)
    print(f"\n{findings.taken} walks from number {arguments.first} in {time.perf_counter() - began:.0f} s")
    for step, seconds in findings.slow.most_common(10):
        print(f"  slow: {seconds} s  {step}")
    for key, fault in findings.faults.items():
        print(f"BROKEN {fault.times} times: {key}\n  {fault.shortest}")
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
