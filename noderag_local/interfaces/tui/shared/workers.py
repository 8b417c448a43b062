"""Workers of Textual: how they are started, and how they end with the application.

`start_worker` gives a worker a function, and no coroutine that was made already. A worker that is cancelled before its first step,
by a newer one of its group or because its screen closes, never awaits a coroutine that it was given; Python then warns of it, wherever
it happens to collect it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast

from textual.worker_manager import WorkerManager

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode
    from textual.worker import Worker, WorkType


class ClosableWorkers(WorkerManager):
    """The workers of an application, of which none runs on while the application removes its widgets.

    Textual 8.2 lets timers and messages start workers until the last widget is gone, and these fail to find the widgets that went
    before them.
    """

    def __init__(self, app: App[Any]) -> None:
        super().__init__(app)
        self._is_closed = False

    def close(self) -> None:
        """Cancels all workers, and lets no other one start."""
        self._is_closed = True
        self.cancel_all()

    def add_worker(self, worker: Worker[Any], start: bool = True, exclusive: bool = True) -> None:
        """Adds a worker, unless the application is closing; arguments as for Textual's method."""
        if not self._is_closed:
            super().add_worker(worker, start, exclusive)


def start_worker(
    node: DOMNode, work: Callable[[], Coroutine[Any, Any, None]], group: str, *, exclusive: bool = False, name: str = ""
) -> None:
    """Starts a worker that lives as long as a node of the interface.

    Args:
        node: widget, screen or application.
        work: returns the coroutine to await.
        group: name of the workers that belong together.
        exclusive: whether the other workers of the group are cancelled.
        name: name of the worker.
    """
    node.run_worker(cast("WorkType[None]", work), group=group, exclusive=exclusive, name=name)
