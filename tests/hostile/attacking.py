"""Attacks of a taken-over reader, tried in the reading process, as a command: `attacking.py [--without-walls] PATH ATTACK…`.

Prints an object of JSON: attack -> how it ended; {"refused": why} where the process was not handed the file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

TESTS = str(Path(__file__).parents[1])
sys.path.append(TESTS)

from helpers.reading_process import read_by  # noqa: E402
from hostile.taken_over import MODULE  # noqa: E402
from hostile.taking_away import run_without  # noqa: E402

from noderag_local.domain.errors import NoderagError  # noqa: E402
from noderag_local.ingest.sandbox.worker_process import WorkerProcess  # noqa: E402

Outcomes = dict[str, str]


def outcomes(attacks: Sequence[str], path: Path, missing: Sequence[str] = (), without_walls: bool = False) -> Outcomes:
    """How attacks on a file end on a machine without some calls of the kernel."""
    words = [*["--without-walls"] * without_walls, str(path), *attacks]
    done = run_without(missing, [sys.executable, __file__, *words])
    assert done.returncode == 0, done.stderr
    result: Outcomes = json.loads(done.stdout)
    return result


def tried(process: WorkerProcess, attacks: Sequence[str], path: str) -> Outcomes:
    """How attacks end in the reading process."""
    data = "\n".join(f"{attack}\t{os.getpid()}\t{path}" for attack in attacks).encode()
    found: Outcomes = {}
    for document in read_by(process, "a.taken", data, MODULE):
        attack, _, outcome = document.sentences[0].sentence.text.partition(": ")
        found[attack] = outcome
    return found


def _main(words: list[str]) -> None:
    options = {"without_walls": True} if words[0] == "--without-walls" else {}
    path, *attacks = words[len(options) :]
    try:
        with WorkerProcess(**options) as process:
            print(json.dumps(tried(process, attacks, path)))
    except NoderagError as error:
        print(json.dumps({"refused": str(error)}))


if __name__ == "__main__":
    _main(sys.argv[1:])
