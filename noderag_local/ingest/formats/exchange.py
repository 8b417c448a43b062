"""One file in the hands of the reading process: the bytes go there, documents or the reason of none come back."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from typing import IO, BinaryIO

from noderag_local.errors import DocumentError
from noderag_local.ingest.formats.deadline import Deadline
from noderag_local.ingest.formats.extract import ExtractedDocument
from noderag_local.ingest.formats.limits import Limits
from noderag_local.ingest.formats.wire import Kind, Request, document_of, request_line

COPY_BYTES = 1 << 20
LONGEST_REASON = 300
"""Characters of what a reader says is wrong with a file."""
SPARE_SECONDS = 10.0
"""Over the limit of a document, so that the limit of the processor, which the load of the machine does not move, comes first."""
END_SECONDS = 5.0
"""Waited for a process that has ended or was told to."""

_BOMB = "a decompression bomb would"
_TAKEN_OVER = "its reader gave what is no document, so something in the file may have taken it over"


class Exchange:
    """One file in the hands of the process."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits) -> None:
        self._process = process
        self._limits = limits
        self._room = limits.output_bytes
        self._deadline = Deadline(process, limits.file_seconds)
        self._ended = False

    @property
    def left_whole(self) -> bool:
        """Whether the process is ready for another file."""
        return self._ended and not self._deadline.has_passed

    def send(self, module: str, name: str, file: BinaryIO, size_bytes: int) -> None:
        """Hands the file over."""
        request = Request(module, name, size_bytes, self._limits.memory_bytes, self._limits.document_seconds)
        stream = open_end(self._process.stdin)
        try:
            with self._deadline.within(self._limits.document_seconds + SPARE_SECONDS):
                stream.write(request_line(request))
                for block in _blocks(file, size_bytes):
                    stream.write(block)
                stream.flush()
        except BrokenPipeError:
            # The process has ended; whoever reads from it learns why.
            return

    def documents(self) -> Iterator[ExtractedDocument]:
        """What comes back, as it comes; raises DocumentError as `WorkerProcess.documents`."""
        while True:
            kind, value = self._answer()
            if kind is Kind.DOCUMENT:
                yield self._document(value)
                continue
            self._ended = kind is not Kind.MEMORY
            if kind is Kind.END:
                return
            raise DocumentError(self._failure(kind, value))

    def _answer(self) -> tuple[Kind, bytes]:
        with self._deadline.within(self._limits.document_seconds + SPARE_SECONDS):
            line = open_end(self._process.stdout).readline(self._room + 1)
        self._room -= len(line)
        if self._room < 0:
            raise DocumentError(f"it gives more than {self._limits.output_bytes >> 20} MB of text, as {_BOMB}")
        if not line.endswith(b"\n"):
            raise DocumentError(self._ending())
        name, _, value = line.partition(b" ")
        try:
            return Kind(name.decode("ascii")), value
        except ValueError as error:
            raise DocumentError(_TAKEN_OVER) from error

    def _document(self, value: bytes) -> ExtractedDocument:
        try:
            return document_of(value)
        except ValueError as error:
            raise DocumentError(_TAKEN_OVER) from error

    def _failure(self, kind: Kind, value: bytes) -> str:
        if kind is Kind.MEMORY:
            return f"it needs more than {self._limits.memory_bytes >> 20} MB of memory to be read, as {_BOMB}"
        told = _reason(value)
        if kind is Kind.REFUSED:
            return told
        if kind is Kind.UNKNOWN:
            return f"what reads its format cannot be loaded ({told}): install noderag again"
        return f"its reader stumbled over it ({told}), so it is damaged, or of another format than its name says"

    def _ending(self) -> str:
        """Why the process has ended."""
        how = ending(self._process)
        if self._deadline.has_passed or how == "SIGXCPU":
            limits = self._limits
            longest = f"{limits.document_seconds} seconds for a document, or {limits.file_seconds} in all"
            return f"reading it takes longer than {longest}, as an endless loop would"
        return f"it made its reader crash ({how}), so it is damaged, or made to do that"


def open_end(stream: IO[bytes] | None) -> IO[bytes]:
    """An end of a pipe that was asked for when the process was started."""
    assert stream is not None
    return stream


def ending(process: subprocess.Popen[bytes]) -> str:
    """How a process that speaks no more has ended: "SIGSEGV", "exit status 3"."""
    try:
        status = process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return "it fell silent"
    if status >= 0:
        return f"exit status {status}"
    known = signal.Signals.__members__.values()
    return next((one.name for one in known if one == -status), f"signal {-status}")


def _blocks(file: BinaryIO, size_bytes: int) -> Iterator[bytes]:
    """So many bytes of a file, NULs where it has become shorter: the request has promised them."""
    left = size_bytes
    while left > 0:
        block = file.read(min(COPY_BYTES, left)) or bytes(min(COPY_BYTES, left))
        left -= len(block)
        yield block


def _reason(value: bytes) -> str:
    try:
        told = json.loads(value)
    except ValueError as error:
        raise DocumentError(_TAKEN_OVER) from error
    return str(told)[:LONGEST_REASON]
