"""Waiting for an application under test, which works in threads and tasks of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import Any

from textual.pilot import Pilot

SECONDS = 300.0
"""After which a test gives up: loading the embedding model for the first time takes many on a busy machine."""


async def until(pilot: Pilot[Any], is_so: Callable[[], object]) -> None:
    """Lets the application go on until something is so.

    Raises:
        AssertionError: it does not come to be.
    """
    last = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < last, "waited in vain"
        await pilot.pause(0.02)


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs the coroutine that a test consists of."""
    import asyncio

    asyncio.run(test())
