"""A process that is waited for, but not for ever."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Deadline:
    """Kills a process when a block that waits for it takes too long; then the wait ends, as its pipes do."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        """
        Args:
            seconds: of all blocks together.
        """
        self._process = process
        self._left = seconds
        self.has_passed = False
        """Whether the process was killed."""

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Gives the block so long, or what is left for all."""
        # A thread, since Windows can wait for no pipe.
        timer = threading.Timer(max(0.0, min(seconds, self._left)), self._pass)
        timer.daemon = True
        started = time.monotonic()
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._left -= time.monotonic() - started

    def _pass(self) -> None:
        self.has_passed = True
        self._process.kill()
