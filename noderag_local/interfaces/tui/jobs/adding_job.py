"""Taking a model file from a stick or another folder, as a job; nothing is fetched."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.jobs.file_progress import FileProgress, FileWorkStopped
from noderag_local.system.paths import absolute

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.jobs.jobs import Control
    from noderag_local.interfaces.tui.shell.session import Desk


def adding(desk: Desk, file: Path) -> Callable[[Control], Awaitable[str]]:
    """The job of copying a GGUF file into the models folder and verifying it."""

    async def work(control: Control) -> str:
        from noderag_local.models.llm.gguf_files.add_model import add_model

        folder = absolute(desk.settings.models_dir)
        try:
            path, entry = await desk.write(lambda _: add_model(file, folder, FileProgress(control)))
        except FileWorkStopped:
            return "Stopped: nothing was added."
        known = f"it is the catalogue's {entry.name}" if entry else "it is whole, and not in the catalogue"
        return f"{path.name} is there: {known}."

    return work
