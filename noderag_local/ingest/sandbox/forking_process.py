"""Starts and talks to `fork_server`, the process that forks a reader for each file that is not text."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from typing import IO

from noderag_local.ingest.sandbox.reading_process import (
    END_SECONDS,
    FELL_SILENT,
    START_SECONDS,
    Deadline,
    Worker,
    ending_of,
    ready,
)
from noderag_local.system.walls import launch

_PROGRAM = "noderag_local.ingest.sandbox.fork_server"
_LONGEST_STATUS = 16
A_MOMENT = 0.2
"""Seconds that a reader has to end after it said why it reads no more."""


class ForkingProcess:
    """A `ReadingProcess` in which each file is read by a fork of its own."""

    def __init__(self) -> None:
        self._control, its_end = socket.socketpair()
        with its_end:
            # Its session is a group, too: readers are ended with it.
            self._process = launch.start(_PROGRAM, stdin=its_end.fileno(), stdout=subprocess.DEVNULL)
        self._deadline = Deadline(self._kill)
        self._worker: Worker | None = None
        self._status: int | None = None
        """Exit code of the reader, once it is known."""

    @property
    def number(self) -> int:
        """Id of the process that was started."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def worker(self, module: str) -> Worker:
        """Forks the reader of the next file, and waits until it is ready. See `ReadingProcess.worker`."""
        requests, answers = self._pipes(module)
        with self._deadline.within(START_SECONDS):
            first_line = answers.readline()
        self._status = None
        standing = ready(first_line, "" if first_line else self._ending())
        self._worker = Worker(requests, answers, standing, self._deadline, self._ending)
        return self._worker

    def settle(self, left_whole: bool) -> bool:
        """Returns whether the reader has ended. Its crash does no harm to the process that forked it. See `ReadingProcess.settle`."""
        self._close_pipes()
        return self._has_ended(END_SECONDS if left_whole else A_MOMENT)

    def end(self) -> None:
        """Ends the process and its reader at once."""
        self._deadline.close()
        self._kill()
        self._process.wait(END_SECONDS)
        self._control.close()
        self._close_pipes()

    def _pipes(self, module: str) -> tuple[IO[bytes], IO[bytes]]:
        """Has the reader of the next file forked; returns the streams to and from it."""
        its_requests, requests = os.pipe()
        answers, its_answers = os.pipe()
        try:
            socket.send_fds(self._control, [module.encode("ascii")], [its_requests, its_answers])
        finally:
            os.close(its_requests)
            os.close(its_answers)
        return os.fdopen(requests, "wb"), os.fdopen(answers, "rb")

    def _close_pipes(self) -> None:
        worker, self._worker = self._worker, None
        for stream in (worker.requests, worker.answers) if worker else ():
            # What was not sent yet has nobody to go to.
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def _ending(self) -> str:
        if self._has_ended(END_SECONDS):
            assert self._status is not None
            return ending_of(self._status)
        with contextlib.suppress(subprocess.TimeoutExpired):
            # Its reader dies with it.
            return ending_of(self._process.wait(A_MOMENT))
        self._kill()
        return FELL_SILENT

    def _has_ended(self, seconds: float) -> bool:
        """Whether the reader has ended, or ends within some seconds."""
        if self._status is None:
            self._control.settimeout(seconds)
            try:
                status = self._control.recv(_LONGEST_STATUS)
            except OSError:
                return False
            self._status = int(status) if status else None
        return self._status is not None

    def _kill(self) -> None:
        """Ends the process and the reader that it forked."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
