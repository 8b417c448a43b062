"""Runs the reading processes: starts one when a file needs it, and ends it when a file is too much for it.

Text goes to one process in batches (`serving_process`). Every file of another format has a process of its own
(`forking_process`): large libraries of other authors read it, and one that a file has taken over must not see the next file.
After a run, processes wait for the next one.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from itertools import takewhile
from types import TracebackType

from noderag_local.domain.errors import SourceError
from noderag_local.ingest.chunks.parsed_document import Found
from noderag_local.ingest.sandbox.forking_process import ForkingProcess
from noderag_local.ingest.sandbox.reading_process import ReadingProcess
from noderag_local.ingest.sandbox.serving_process import ServingProcess
from noderag_local.ingest.sandbox.worker_exchange import DEFAULT_LIMITS, Assignment, FileExchange, Limits, hand_over
from noderag_local.system.walls.launch import environment
from noderag_local.system.walls.standing import Standing, what_stands_open

TEXTS_A_PROCESS = 10_000
FILES_A_PROCESS = 8
"""Files of other formats than text that one process reads where the system cannot fork (Windows)."""

_NO_FORMAT = "noderag_local.ingest.chunks.drafts"
"""Module to name where there is no file: every reader has loaded it."""


class WorkerProcess:
    """Reads files in separate processes; `close` it, or use it in a `with` statement."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS, without_walls: bool = False) -> None:
        """Starts nothing yet.

        Args:
            limits: bounds of each file.
            without_walls: whether formats other than text are read even if the system has no sandbox for them.
        """
        self._limits = limits
        self.without_walls = without_walls
        self._running: dict[bool, ReadingProcess] = {}
        """Running processes, by whether they read text."""
        self._in_hand: list[FileExchange] = []
        """Files that were sent and are not read yet."""

    @property
    def process_ids(self) -> frozenset[int]:
        """Ids of the processes that were started and have not ended."""
        return frozenset(running.number for running in self._running.values())

    def documents(self, assignments: Sequence[Assignment]) -> Generator[Iterator[Found], None, None]:
        """Yields the documents of each file as they are read, with what was left out of it.

        Texts go to their process together. If one of them ends the process, those after it go to another one.

        Args:
            assignments: files to read; several are sent as a whole and must fit into memory together.

        Yields:
            For each file an iterator, to be used up before the next file is asked for. It raises DocumentError if the file
            cannot be read, exceeds a limit, or made its reader crash (the message says what to do, without naming the file);
            ReaderTooSlow if it is not read in its time, and ReaderEnded if something else ended its process; another
            SourceError if no process can be started, or none with the walls or the module that its format requires; and
            OSError if the file, or a process, cannot be opened.
        """
        left = deque(assignments)
        while left:
            try:
                exchanges = self._handed_over(_together(left))
            except (SourceError, OSError) as error:
                left.popleft()
                yield _raising(error)
                continue
            for exchange in exchanges:
                left.popleft()
                try:
                    yield exchange.found()
                finally:
                    self._settle(exchange)
                if exchange.is_text not in self._running:
                    break

    def standing(self) -> Standing:
        """Starts the process that reads formats other than text, and returns the walls around it.

        Raises:
            SourceError: it cannot be started.
            OSError: it cannot be opened.
        """
        running = self._started(is_text=False)
        standing = running.worker(_NO_FORMAT).standing
        if not running.settle(left_whole=True):
            self._end(is_text=False)
        return standing

    def close(self) -> None:
        """Lets the processes wait for the next run; a process that still has files is ended."""
        for exchange in self._in_hand:
            self._end(exchange.is_text)
        self._in_hand = []
        running, self._running = self._running, {}
        for is_text, process in running.items():
            _spare[is_text].keep(process)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _handed_over(self, assignments: Sequence[Assignment]) -> list[FileExchange]:
        """Hands files over to a process that is ready for them."""
        task = assignments[0].task
        running = self._started(task.is_text)
        try:
            worker = running.worker(task.module)
            if not task.is_text:
                self._refuse_if_open(worker.standing)
            self._in_hand = [FileExchange(worker, self._limits, assignment) for assignment in assignments]
            hand_over(self._in_hand)
        except BaseException:
            self._in_hand = []
            self._end(task.is_text)
            raise
        return list(self._in_hand)

    def _started(self, is_text: bool) -> ReadingProcess:
        if is_text in self._running and not self._running[is_text].is_alive:
            self._end(is_text)
        if is_text not in self._running:
            self._running[is_text] = _spare[is_text].taken() or _new_process(is_text)
        return self._running[is_text]

    def _refuse_if_open(self, standing: Standing) -> None:
        """Raises SourceError if a reader of formats other than text could do harm once a file has taken it over."""
        if not self.without_walls and (open_to := what_stands_open(standing)):
            raise SourceError(
                f"this system cannot keep the reader of its format away from {open_to}. Run `noderag doctor` to see what is missing, or "
                "set formats_without_walls = true to read such files all the same"
            )

    def _settle(self, exchange: FileExchange) -> None:
        """Ends a process that is in the middle of a file, or has read its share of files."""
        if exchange in self._in_hand:
            self._in_hand.remove(exchange)
        running = self._running.get(exchange.is_text)
        if running is not None and not running.settle(exchange.left_whole):
            self._end(exchange.is_text)

    def _end(self, is_text: bool) -> None:
        running = self._running.pop(is_text, None)
        if running is not None:
            running.end()


class _Spare:
    """A place for one process that waits for the next run."""

    def __init__(self) -> None:
        self._running: ReadingProcess | None = None
        self._environment: dict[str, str] = {}
        """Environment of the run that the process was started for."""
        self._owner = os.getpid()
        self._lock = threading.Lock()

    def taken(self) -> ReadingProcess | None:
        """Returns the process, which belongs to the caller from now on; None if none waits.

        One with another environment is ended: in another time zone, the days of notes are others.
        """
        with self._lock:
            running, self._running = self._running, None
        if running is None or self._owner != os.getpid() or not running.is_alive:
            return None
        if self._environment != environment():
            running.end()
            return None
        return running

    def keep(self, running: ReadingProcess) -> None:
        """Lets a process wait; one that waited before is ended."""
        with self._lock:
            before, self._running = self._running, running
            self._environment = environment()
        if before is not None:
            before.end()

    def clear(self) -> None:
        """Ends the process that waits."""
        running = self.taken()
        if running is not None:
            running.end()


_spare = {is_text: _Spare() for is_text in (True, False)}


@atexit.register
def end_waiting() -> None:
    """Ends the processes that wait for the next run."""
    for place in _spare.values():
        place.clear()


def _new_process(is_text: bool) -> ReadingProcess:
    if is_text:
        return ServingProcess(TEXTS_A_PROCESS)
    return ForkingProcess() if hasattr(os, "fork") else ServingProcess(FILES_A_PROCESS)


def _together(left: Sequence[Assignment]) -> list[Assignment]:
    """Returns the files to hand over next: all texts up to the next file of another format, or one such file."""
    return [*takewhile(lambda assignment: assignment.task.is_text, left)] or [left[0]]


def _raising(error: Exception) -> Iterator[Found]:
    """Yields nothing and raises an error."""
    yield from ()
    raise error
