"""Reads the progress of the set-up of answers: `scripts/run` compiles llama.cpp and fetches the default language model."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SET_UP_FILE = Path(sys.prefix) / "set-up.json"
"""File that the set-up writes every second while it works; other installations have none."""
STALE_SECONDS = 20.0
"""Age of the file beyond which its process counts as dead: killed, or stopped with the machine."""


@dataclass(frozen=True, slots=True)
class AnswersSetUp:
    """State of the set-up of answers."""

    is_at_work: bool
    parts: tuple[tuple[str, int, int], ...] = ()
    """(name, amount done, total amount or 0 if unknown) of each part that is being set up."""
    problems: tuple[str, ...] = ()
    """Why something could not be set up, and what to do."""

    @property
    def line(self) -> str:
        """The state in one line: `compiling llama.cpp 45 %, fetching the language model 30 %`."""
        return ", ".join(f"{what} {done * 100 // total} %" if total else what for what, done, total in self.parts)


NO_SET_UP = AnswersSetUp(is_at_work=False)
BROKEN_OFF = AnswersSetUp(
    is_at_work=False,
    problems=("The set-up was broken off. Start the program again by scripts/run, which goes on with it.",),
)


def read_set_up(file: Path = SET_UP_FILE) -> AnswersSetUp:
    """Returns the state of the set-up; `NO_SET_UP` if there is none, `BROKEN_OFF` if its process died."""
    try:
        is_fresh = time.time() - file.stat().st_mtime < STALE_SECONDS
        state = json.loads(file.read_text(encoding="utf-8"))
        is_over = bool(state["is_over"])
        parts = tuple((str(what), int(done), int(total)) for what, (done, total) in state["parts"].items())
        problems = tuple(map(str, state["problems"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return NO_SET_UP
    if not is_over and not is_fresh:
        return BROKEN_OFF
    return AnswersSetUp(not is_over, parts, problems)
