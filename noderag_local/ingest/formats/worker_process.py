"""The reading process from its parent's side: started when a file needs it, ended when a file is too much for it.

A process serves many files, since starting one takes 0.4 s, and waits for the next run when one is done with it. Another one
takes its place after a crash, after a limit that was gone over, and after FILES_A_PROCESS files, as libraries leak.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from types import TracebackType

from noderag_local.errors import SourceError
from noderag_local.ingest.draft import Draft, Omission
from noderag_local.ingest.formats.deadline import Deadline
from noderag_local.ingest.formats.exchange import END_SECONDS, Assignment, Exchange, Worker, ending, hand_over, open_end
from noderag_local.ingest.formats.limits import DEFAULT_LIMITS, Limits
from noderag_local.walls import launch
from noderag_local.walls.standing import Standing, standing_of, what_stands_open

FILES_A_PROCESS = 200
TEXTS_A_PROCESS = 10_000
"""Of text, which no foreign library reads."""
START_SECONDS = 60.0
"""Waited for a process to be ready, on a slow disk."""

_WORKER = "noderag_local.ingest.formats.worker"


class WorkerProcess:
    """Reads files apart from this process; `close` it, or use it in a `with` statement."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS, without_walls: bool = False) -> None:
        """Starts nothing yet.

        Args:
            without_walls: other formats than text are read even where the system cannot shut their readers in.
        """
        self._limits = limits
        self._without_walls = without_walls
        self._running: _Running | None = None

    @property
    def process_id(self) -> int | None:
        """Number of the process, while there is one."""
        return self._running.worker.process.pid if self._running else None

    def documents(self, assignments: Sequence[Assignment]) -> Generator[Iterator[Draft | Omission], None, None]:
        """The documents of each file, as they are read, and what was left out of it.

        The files go to the process together. One that ends the process costs itself: those behind it go to another one.

        Args:
            assignments: the files; several have to fit into memory together, and are sent as a whole.

        Yields:
            for each file an iterator to be used up before the next file is asked for, which raises

            DocumentError: it cannot be read, goes over a limit, or made its reader crash. The message says what and what
                to do, without naming the file.
            SourceError: no process can be started, or none that is shut in as the format of the file asks for.
            OSError: the file, or a process, cannot be opened.
        """
        left = deque(assignments)
        while left:
            try:
                exchanges = self._handed_over(left)
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
                if self._running is None:
                    break

    def standing(self) -> Standing:
        """The walls around the process, which is started where there is none; raises SourceError and OSError as `documents`."""
        return self._ready().standing

    def close(self) -> None:
        """Is done with the process, which waits for the next run; one that has files in hand is ended."""
        if self._running is not None and self._running.in_hand:
            self._end()
        running, self._running = self._running, None
        if running is not None:
            _spare.keep(running)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _handed_over(self, assignments: Iterable[Assignment]) -> list[Exchange]:
        """Files in the hands of a process that is ready for them."""
        running = self._ready()
        if not all(assignment.task.is_text for assignment in assignments):
            self._refuse_if_open(running)
        exchanges = [Exchange(running.worker, self._limits, assignment) for assignment in assignments]
        running.in_hand = len(exchanges)
        try:
            hand_over(exchanges)
        except BaseException:
            self._end()
            raise
        return exchanges

    def _ready(self) -> _Running:
        if self._running is not None and self._running.worker.process.poll() is not None:
            self._end()
        if self._running is None:
            self._running = _spare.taken() or _Running()
        try:
            self._running.wait()
        except SourceError:
            self._end()
            raise
        return self._running

    def _refuse_if_open(self, running: _Running) -> None:
        """Raises SourceError where what reads other formats than text could do harm once it is taken over."""
        if not self._without_walls and (open_to := what_stands_open(running.standing)):
            raise SourceError(
                f"this system does not keep what reads its format from {open_to}; `noderag doctor` tells what is missing, "
                "and with the setting formats_without_walls = true such files are read all the same"
            )

    def _settle(self, exchange: Exchange) -> None:
        """Ends a process that has no use any more: one that is in the middle of a file, or worn."""
        if self._running is None:
            return
        self._running.in_hand -= 1
        self._running.texts += exchange.is_text
        self._running.files += not exchange.is_text
        if not exchange.left_whole or self._running.is_worn:
            self._end()

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.end()


class _Running:
    """A process that was started."""

    def __init__(self) -> None:
        process = subprocess.Popen(
            launch.command(_WORKER),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=launch.environment(),
            # Ctrl-C is for the parent, which ends this process when it is done with what it keeps.
            start_new_session=True,
        )
        self.worker = Worker(process, Deadline(process))
        self.files = self.texts = 0
        """How many it has read: of other formats, and of text."""
        self.in_hand = 0
        """How many were sent that are not read yet."""
        self._standing: Standing | None = None

    @property
    def standing(self) -> Standing:
        """The walls around it; once it is ready."""
        assert self._standing is not None
        return self._standing

    @property
    def is_worn(self) -> bool:
        """Whether it has read its last file."""
        return self.files >= FILES_A_PROCESS or self.texts >= TEXTS_A_PROCESS

    def wait(self) -> None:
        """Waits until it is ready to read.

        Raises:
            SourceError: it does not start.
        """
        if self._standing is not None:
            return
        with self.worker.deadline.within(START_SECONDS):
            ready = open_end(self.worker.process.stdout).readline()
        self._standing = standing_of(ready)
        if self._standing is None:
            how = ending(self.worker.process)
            raise SourceError(f"the process that reads files does not start ({how}); install noderag again")

    def end(self) -> None:
        """Ends it at once."""
        process = self.worker.process
        self.worker.deadline.close()
        process.kill()
        process.wait(END_SECONDS)
        for stream in (process.stdin, process.stdout):
            try:
                open_end(stream).close()
            except BrokenPipeError:
                # What was not sent yet has nobody to go to.
                continue


class _Spare:
    """A place for one process that waits for the next run."""

    def __init__(self) -> None:
        self._running: _Running | None = None
        self._owner = os.getpid()
        self._lock = threading.Lock()
        atexit.register(self.clear)

    def taken(self) -> _Running | None:
        """The process, which is the caller's from now on; None where none waits."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None and (self._owner != os.getpid() or running.worker.process.poll() is not None):
            return None
        return running

    def keep(self, running: _Running) -> None:
        """Lets a process wait; of two, the later one."""
        with self._lock:
            before, self._running = self._running, running
        if before is not None:
            before.end()

    def clear(self) -> None:
        """Ends the process that waits."""
        running = self.taken()
        if running is not None:
            running.end()


_spare = _Spare()


def _raising(error: Exception) -> Iterator[Draft | Omission]:
    """No documents, and why."""
    yield from ()
    raise error
