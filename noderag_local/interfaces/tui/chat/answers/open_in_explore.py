"""Opens in Explore what was chosen in a dialog of the chat."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.shared.workers import start_worker

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.reader.navigation import Target
    from noderag_local.interfaces.tui.shell.application import NoderagApp


def open_in_explore(app: NoderagApp, target: Target) -> None:
    """Opens a page or a place in the notes, in a worker of the app, since those of a dialog end with it."""
    start_worker(app, partial(_visit, app, target), "visit", exclusive=True)


async def _visit(app: NoderagApp, target: Target) -> None:
    from noderag_local.interfaces.tui.explore.explore_screen import ExploreScreen

    await app.switch_mode("explore")
    if isinstance(app.screen, ExploreScreen):
        app.screen.visit(target)
