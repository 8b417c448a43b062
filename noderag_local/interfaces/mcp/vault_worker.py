"""The one thread that uses a vault for a server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from noderag_local.system.printing.plain_text import printable

T = TypeVar("T")
Work = Callable[[Callable[[str], None], Callable[[], bool]], T]
Report = Callable[[float, float | None, str | None], Awaitable[None]]


class VaultWorker:
    """Does one piece of work after the other in a single thread, since only one thread may use a vault."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "served-vault")

    async def run(self, work: Work[T], report: Report) -> T:
        """Waits for its turn, does the work and reports its progress; a cancelled caller stops the work."""
        loop, told, stopped = asyncio.get_running_loop(), asyncio.Queue[str | None](), threading.Event()

        def tell(message: str) -> None:
            loop.call_soon_threadsafe(told.put_nowait, message)

        future = loop.run_in_executor(self._thread, partial(work, tell, stopped.is_set))
        future.add_done_callback(lambda _: told.put_nowait(None))
        steps = 0
        try:
            while (message := await told.get()) is not None:
                steps += 1
                await report(steps, None, printable(message))
            return future.result()
        finally:
            stopped.set()
            future.cancel()

    def close(self) -> None:
        """Waits for the work that runs; whoever closes has stopped it."""
        self._thread.shutdown(wait=True, cancel_futures=True)
