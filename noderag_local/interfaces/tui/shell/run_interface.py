"""Opens the terminal interface and closes what it held."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.session import Session

if TYPE_CHECKING:
    from noderag_local.config import Settings


YOUNG, MIDDLE, OLD = 5_000, 10, 100
"""Thresholds of Python's garbage collector: objects, and passes over the younger ones, between two passes. Python's own (700, 10,
10) go through everything some four times in a hundred keys, at 100 ms each with a large vault open; unused cycles wait longer."""


def tune_garbage_collector() -> None:
    """Keeps garbage collection out of the way of keys. Call it when everything that stays is imported."""
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)


def run(settings: Settings) -> int:
    """Shows the interface until it is left.

    Returns:
        the exit code: 0, or 1 where the interface broke; it has then printed where.
    """
    session = Session(settings)
    app = NoderagApp(session)
    tune_garbage_collector()
    try:
        app.run()
    finally:
        # A job asks often whether to stop; the session waits until it has.
        app.jobs.stop()
        session.close()
    return app.return_code or 0
