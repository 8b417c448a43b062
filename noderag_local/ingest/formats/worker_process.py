"""The reading process from its parent's side: started when a file needs it, ended when a file is too much for it.

A process serves many files, since starting one takes 0.3 s. It is another one after a crash, after a limit that was gone
over, and after FILES_A_PROCESS files, as libraries leak.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from noderag_local.errors import SourceError
from noderag_local.ingest.formats.deadline import Deadline
from noderag_local.ingest.formats.exchange import END_SECONDS, Exchange, ending, open_end
from noderag_local.ingest.formats.extract import ExtractedDocument
from noderag_local.ingest.formats.limits import DEFAULT_LIMITS, Limits
from noderag_local.ingest.formats.wire import READY

FILES_A_PROCESS = 200
START_SECONDS = 60.0
"""Waited for a process to be ready, on a slow disk."""

_START = "import sys; sys.path[:] = sys.argv[2:]; from noderag_local.ingest.formats.worker import main; main(int(sys.argv[1]))"
_VARIABLES = frozenset(
    {
        "DYLD_LIBRARY_PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LD_LIBRARY_PATH",
        "PATH",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "TZ",
    }
)
"""Of the person's, that it keeps; keys and passwords often stand in others."""
_QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""A process that may start no threads must not try."""


class WorkerProcess:
    """Reads files apart from this process; `close` it, or use it in a `with` statement."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        """Starts nothing yet."""
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._files = 0

    @property
    def process_id(self) -> int | None:
        """Of the process, while there is one."""
        return self._process.pid if self._process else None

    def documents(self, module: str, name: str, file: BinaryIO, size_bytes: int) -> Iterator[ExtractedDocument]:
        """The documents of a file, as they are read.

        Args:
            module: full name of the module that reads its format.
            name: of the file, without its folder.
            file: at its start.
            size_bytes: of it; so many are read.

        Raises:
            DocumentError: it cannot be read, goes over a limit, or made its reader crash. The message says what and what
                to do, without naming the file.
            OSError: the file, or a process, cannot be opened.
        """
        exchange = Exchange(self._running(), self._limits)
        try:
            exchange.send(module, name, file, size_bytes)
            yield from exchange.documents()
        finally:
            # One that is left in the middle of a file has no use any more.
            if not exchange.left_whole or self._files >= FILES_A_PROCESS:
                self.close()

    def close(self) -> None:
        """Ends the process."""
        process, self._process, self._files = self._process, None, 0
        if process is not None:
            process.kill()
            process.wait(END_SECONDS)
            _close_streams(process)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._started()
        self._files += 1
        return self._process

    def _started(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            # Isolated from the person's own variables and folders, and yet with the modules that we have.
            [sys.executable, "-I", "-B", "-c", _START, str(os.getpid()), *_module_folders()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name in _VARIABLES} | _QUIET,
            # Ctrl-C is for the parent, which ends this process when it is done with what it keeps.
            start_new_session=True,
        )
        with Deadline(process, START_SECONDS).within(START_SECONDS):
            ready = open_end(process.stdout).readline()
        if ready != READY:
            how = ending(process)
            _close_streams(process)
            raise SourceError(f"the process that reads such files does not start ({how}); install noderag again")
        return process


def _module_folders() -> list[str]:
    """Where modules are looked for; it may read all that lies there.

    `python -m` adds the folder that one happens to stand in, which holds notes as likely as not.
    """
    own = str(Path(__file__).parents[3])
    return [path for path in sys.path if path and (path == own or os.path.abspath(path) != os.getcwd())]


def _close_streams(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        try:
            open_end(stream).close()
        except BrokenPipeError:
            # What was not sent yet has nobody to go to.
            continue
