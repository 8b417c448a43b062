"""The jobs that add a model to the models folder, by downloading it or by copying a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.jobs.job_progress import JobProgress, Pausing
from noderag_local.system.paths import absolute
from noderag_local.system.printing.amounts import size

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.jobs.jobs import Control
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.models.llm.gguf_files.catalog import CatalogEntry


def fetching(
    session: Session, entry: CatalogEntry, models_dir: Path | None = None
) -> Callable[[Control], Awaitable[str]]:
    """Returns the job that downloads a model of the catalogue; it resumes an interrupted download.

    No other part of the interface opens a connection, and this one only when the user asks for it.

    Args:
        session: runs the download in its thread for writing.
        entry: model to download.
        models_dir: folder for the file; None for that of the settings.
    """
    folder = absolute(models_dir or session.settings.models_dir)

    async def work(control: Control) -> str:
        from noderag_local.models.llm.gguf_files.download import fetch_model

        control.progress(f"{entry.name}: connecting …", 0, 0)
        try:
            path = await session.write(lambda _: fetch_model(entry, folder, FileProgress(control)))
        except FileWorkStopped:
            return f"Stopped: {entry.name} is not whole yet; fetching it again goes on from there."
        verified = "verified by SHA-256" if entry.sha256 else "its hash is not known; size and structure are right"
        return f"{path.name} is there: {verified}."

    return work


def adding(session: Session, file: Path) -> Callable[[Control], Awaitable[str]]:
    """Returns the job that copies a GGUF file into the models folder and verifies it; nothing is fetched."""

    async def work(control: Control) -> str:
        from noderag_local.models.llm.gguf_files.add_model import add_model

        folder = absolute(session.settings.models_dir)
        try:
            path, entry = await session.write(lambda _: add_model(file, folder, FileProgress(control)))
        except FileWorkStopped:
            return "Stopped: nothing was added."
        known = f"it is the catalogue's {entry.name}" if entry else "it is whole, and not in the catalogue"
        return f"{path.name} is there: {known}."

    return work


class FileWorkStopped(Exception):
    """Ends work on a model file; raised from its progress report, the only function of ours that such work calls."""


class FileProgress:
    """Shows the progress of work on a model file, and ends the work when the job must stop."""

    def __init__(self, control: Control) -> None:
        self._progress = JobProgress(control)
        self._pausing = Pausing(control, self._progress)

    def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        """Shows the progress.

        Raises:
            FileWorkStopped: the job must stop.
        """
        if self._pausing.cancelled():
            raise FileWorkStopped
        self._progress.step(stage, done_bytes, total_bytes, _of_bytes, _bytes_each_second)

    def say(self, text: str) -> None:
        """Shows nothing, because the job's result says the same."""


def _of_bytes(done: int, total: int) -> str:
    return f"{size(done)} of {size(total)}"


def _bytes_each_second(per_second: float) -> str:
    return size(round(per_second))
