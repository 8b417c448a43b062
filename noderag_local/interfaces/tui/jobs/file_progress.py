"""How far work on a model file is, told to the job that it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.jobs.job_progress import JobProgress, Pausing
from noderag_local.system.printing.amounts import size

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.jobs.jobs import Control


class FileWorkStopped(Exception):
    """How such work ends from within: it asks nobody whether to go on, but tells how far it is."""


class FileProgress:
    """A reporter of llm/ that tells a job how far the file is, and ends the work when the job is to be stopped."""

    def __init__(self, control: Control) -> None:
        self._progress = JobProgress(control)
        self._pausing = Pausing(control, self._progress)

    def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        """Raises Stopped when the job is to be stopped."""
        if self._pausing.cancelled():
            raise FileWorkStopped
        self._progress.step(stage, done_bytes, total_bytes, _of_bytes, _bytes_each_second)

    def say(self, text: str) -> None:
        """What it says on the way is said again at its end."""


def _of_bytes(done: int, total: int) -> str:
    return f"{size(done)} of {size(total)}"


def _bytes_each_second(per_second: float) -> str:
    return size(round(per_second))
