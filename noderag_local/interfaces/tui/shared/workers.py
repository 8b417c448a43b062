"""Starts workers of Textual that are given a function, and no coroutine that was made already.

A worker that is cancelled before its first step, by a newer one of its group or because its screen closes, never awaits a coroutine
that it was given; Python then warns of it, wherever it happens to collect it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.worker import WorkType


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
