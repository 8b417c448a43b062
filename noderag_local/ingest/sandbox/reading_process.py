"""A reading process as its parent sees it: the streams to it, how long it is waited for, and how it ended.

`serving_process` and `forking_process` are the two kinds.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Protocol

from noderag_local.domain.errors import SourceError
from noderag_local.system.walls.standing import Standing, standing_of

START_SECONDS = 60.0
"""Seconds to wait for a process to be ready, on a slow disk."""
END_SECONDS = 5.0
"""Seconds to wait for a process that has ended or was told to."""
FELL_SILENT = "it fell silent"
"""Ending of a process that stays alive but answers no more."""


class Deadline:
    """Kills a process when a block that waits for it takes too long; the wait then ends because its pipes close.

    One thread watches, since Windows can wait for no pipe. There are thousands of waits a second, so it is woken only where
    one of them may end sooner than the thread would look again.
    """

    def __init__(self, kill: Callable[[], None]) -> None:
        """Watches nothing yet: see `within`.

        Args:
            kill: ends the process at once.
        """
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


@dataclass(frozen=True, slots=True)
class Worker:
    """A reading process, as seen by the code that gives it files."""

    requests: IO[bytes]
    """Stream that the process reads requests from."""
    answers: IO[bytes]
    """Stream that the process writes answers to."""
    standing: Standing
    """The walls around it."""
    deadline: Deadline
    """Ends the process if it takes too long."""
    ending: Callable[[], str]
    """Tells how the process has ended, once it answers no more."""


class ReadingProcess(Protocol):
    """A started process that reads the files it is given."""

    @property
    def number(self) -> int:
        """Id of the process that was started."""

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""

    def worker(self, module: str) -> Worker:
        """Gives the worker that reads the next files; waits until it is ready.

        Args:
            module: full name of the module that reads them.

        Raises:
            SourceError: it does not start.
        """

    def settle(self, left_whole: bool) -> bool:
        """Takes note that the process is done with a file; returns whether it can read another one.

        Args:
            left_whole: whether the file was read to its end, and not left in the middle.
        """

    def end(self) -> None:
        """Ends the process at once."""


def ready(told: bytes, how_it_ended: str) -> Standing:
    """Returns the walls around a process that has started.

    Args:
        told: first line that it sent; b"" if it sent none.
        how_it_ended: as `ending_of` says it, for the message.

    Raises:
        SourceError: it did not start.
    """
    standing = standing_of(told)
    if standing is None:
        raise SourceError(f"the process that reads files does not start ({how_it_ended}); install noderag again")
    return standing


def ending_of(status: int) -> str:
    """Names how a process has ended, by its exit code: "SIGSEGV", "exit status 3"."""
    if status >= 0:
        return f"exit status {status}"
    known = signal.Signals.__members__.values()
    return next((one.name for one in known if one == -status), f"signal {-status}")
