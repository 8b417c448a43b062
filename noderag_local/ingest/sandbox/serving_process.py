"""Starts a process that reads many files, one after the other, and talks to it.

Text is read like this, by Python code of our own. Another process takes its place after a crash, after a limit that was
exceeded, and after a number of files, since libraries leak.
"""

from __future__ import annotations

import contextlib
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

_PROGRAM = "noderag_local.ingest.sandbox.worker"


class ServingProcess:
    """A `ReadingProcess` for many files."""

    def __init__(self, files: int) -> None:
        """Starts the process.

        Args:
            files: number of files that it reads before another process takes its place.
        """
        self._process = launch.start(_PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._deadline = Deadline(self._process.kill)
        self._left = files
        self._worker: Worker | None = None

    @property
    def number(self) -> int:
        """Id of the process that was started."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def worker(self, module: str) -> Worker:
        """Returns the worker, which is the same for all files. See `ReadingProcess.worker`."""
        if self._worker is None:
            requests, answers = _open(self._process.stdin), _open(self._process.stdout)
            with self._deadline.within(START_SECONDS):
                first_line = answers.readline()
            standing = ready(first_line, "" if first_line else self._ending())
            self._worker = Worker(requests, answers, standing, self._deadline, self._ending)
        return self._worker

    def settle(self, left_whole: bool) -> bool:
        """Counts a file; returns whether the process can read another one. See `ReadingProcess.settle`."""
        self._left -= 1
        return left_whole and self._left > 0

    def end(self) -> None:
        """Ends the process at once."""
        self._deadline.close()
        self._process.kill()
        self._process.wait(END_SECONDS)
        for stream in (self._process.stdin, self._process.stdout):
            # What was not sent yet has nobody to go to.
            with contextlib.suppress(BrokenPipeError):
                _open(stream).close()

    def _ending(self) -> str:
        try:
            return ending_of(self._process.wait(END_SECONDS))
        except subprocess.TimeoutExpired:
            self._process.kill()
            return FELL_SILENT


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    """Returns an end of a pipe that was requested when the process was started."""
    assert stream is not None
    return stream
