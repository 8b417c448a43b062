"""Limits how long a process is waited for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Deadline:
    """Kills a process when a block that waits for it takes too long; the wait then ends because its pipes close.

    One thread watches, since Windows can wait for no pipe. There are thousands of waits a second, so it is woken only where
    one of them may end sooner than the thread would look again.
    """

    def __init__(self, kill: Callable[[], None]) -> None:
        self._kill = kill
        self._changed = threading.Condition()
        self._due: float | None = None
        """Time at which the present wait is too long."""
        self._wakes: float | None = None
        """Time at which the thread looks again; None means when it is told to."""
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self.has_passed = False
        """Whether the process was killed."""

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Kills the process if the block takes longer than some seconds."""
        self._due = due = time.monotonic() + max(0.0, seconds)
        if self._wakes is None or due < self._wakes:
            self._wake()
        try:
            yield
        finally:
            self._due = None

    def close(self) -> None:
        """Stops watching; the caller ends the process."""
        self._is_closed = True
        with self._changed:
            self._changed.notify()

    def _wake(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="reading deadline", daemon=True)
            self._thread.start()
        with self._changed:
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._is_closed:
                # Before the look at what is due: a wait that begins in between must find that it has to wake us.
                self._wakes = None
                self._wakes = due = self._due
                left = None if due is None else due - time.monotonic()
                if left is not None and left <= 0:
                    self.has_passed = True
                    self._kill()
                    return
                self._changed.wait(left)
