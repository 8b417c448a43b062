"""Opens the terminal interface and closes what it held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.shell import garbage_collector
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.session import Desk

if TYPE_CHECKING:
    from noderag_local.config import Settings


def run(settings: Settings) -> int:
    """Shows the interface until it is left.

    Returns:
        the exit code: 0, or 1 where the interface broke; it has then printed where.
    """
    desk = Desk(settings)
    app = NoderagApp(desk)
    garbage_collector.calm()
    try:
        app.run()
    finally:
        # A job asks often whether to stop; the desk waits until it has.
        app.jobs.stop()
        desk.close()
    return app.return_code or 0
