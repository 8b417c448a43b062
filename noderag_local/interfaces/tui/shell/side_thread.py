"""Runs work in a thread that does not keep the program from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def on_side_thread(do: Callable[[], T]) -> T:
    """Returns the result of `do`, run in a thread of its own that ends with the program.

    For work that cannot be cancelled: `asyncio.to_thread` would keep the program from ending until a walk over a whole
    disk has.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(set_it: Callable[[], None]) -> None:
        if not done.done():
            set_it()

    def run() -> None:
        try:
            found = do()
        except Exception as error:  # noqa: BLE001 - raised again where it is awaited
            failure = error
            deliver = lambda: done.set_exception(failure)  # noqa: E731
        else:
            deliver = lambda: done.set_result(found)  # noqa: E731
        with suppress(RuntimeError):  # the program has ended meanwhile
            loop.call_soon_threadsafe(settle, deliver)

    threading.Thread(target=run, name="side", daemon=True).start()
    return await done
