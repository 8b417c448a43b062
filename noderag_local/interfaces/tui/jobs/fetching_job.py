"""Fetching a model as a job: the one thing of the interface that opens a connection, and only when a person asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.jobs.file_progress import FileProgress, FileWorkStopped
from noderag_local.system.paths import absolute

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.jobs.jobs import Control
    from noderag_local.interfaces.tui.shell.session import Desk
    from noderag_local.models.llm.gguf_files.catalog import CatalogEntry


def fetching(desk: Desk, entry: CatalogEntry, models_dir: Path | None = None) -> Callable[[Control], Awaitable[str]]:
    """The job of getting a model of the catalogue; it goes on where an earlier try was cut off.

    Args:
        models_dir: None: the settings' one.
    """
    folder = absolute(models_dir or desk.settings.models_dir)

    async def work(control: Control) -> str:
        from noderag_local.models.llm.gguf_files.download import fetch_model

        control.progress(f"{entry.name}: connecting …", 0, 0)
        try:
            path = await desk.write(lambda _: fetch_model(entry, folder, FileProgress(control)))
        except FileWorkStopped:
            return f"Stopped: {entry.name} is not whole yet; fetching it again goes on from there."
        verified = "verified by SHA-256" if entry.sha256 else "its hash is not known; size and structure are right"
        return f"{path.name} is there: {verified}."

    return work
