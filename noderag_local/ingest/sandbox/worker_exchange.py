"""Exchanges files with the reading process: it is sent bytes, and sends back documents or the reason why there are none."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO

from noderag_local.domain.errors import DocumentError, ReaderEnded, ReaderTooSlow, SourceError
from noderag_local.ingest.chunks.file_parts import Stretch
from noderag_local.ingest.chunks.parsed_document import Draft, Found
from noderag_local.ingest.sandbox import handed_over
from noderag_local.ingest.sandbox.known_records import NOTHING_KNOWN, KnownRecords
from noderag_local.ingest.sandbox.reading_process import Worker
from noderag_local.ingest.sandbox.wire import Kind, ReadRequest, batch_line, message

TEXT_SECONDS = 3
TEXT_SECONDS_A_MEGABYTE = 10
"""Seconds of computing that a text file may take. Ordinary notes take 0.3 to 1.5 a megabyte on a slow laptop core; odd but harmless
ones, such as a table of a hundred thousand cells, take up to a second on a busy one."""
TEXT_OUTPUT_SHARE = 24
"""Most bytes handed over for a byte of text: "a. b. c." has a sentence, with its places, every three bytes."""
COPY_BYTES = 1 << 20
HEAD_BYTES = 4 << 20
"""Number of bytes of a text or archive that are sent with the request; the process asks for the rest of a longer one when it needs it."""
LONGEST_REASON = 300
"""Most characters of what a reader says is wrong with a file."""
SCAN_BYTES = 1 << 30
"""Bytes of memory for the slow reader, beyond its models. A dense page of A4 needs under 512 MB, the largest photos more."""
SCAN_SECONDS = 3600
"""Seconds for all pages of a file that the slow reader reads; a page has the time of a document."""
SPARE_SECONDS = 10.0
"""Seconds beyond the limit of a document, so that the limit on computing, which does not depend on the load, applies first."""
_FROM_OUTSIDE = frozenset({"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"})
"""Signals that nothing in a file can send: the system is out of memory or shuts down, or a person ended the process."""
_BOMB = "a decompression bomb would"
_TAKEN_OVER = "its reader gave what is no document, so something in the file may have taken it over"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on reading one file; exceeding one costs this file alone. A decompression bomb or an endless loop would."""

    memory_bytes: int = 512 << 20
    """Bytes of memory beyond what the process had before, and beyond the file itself."""
    document_seconds: int = 120
    """Seconds for a document, counted from the end of the one before: limits both silence and computing."""
    file_seconds: int = 600
    """Seconds to wait for all documents of a file together."""
    output_bytes: int = 96 << 20
    """Bytes of all documents of a file together, as they are handed over."""

    def of(self, task: Task) -> Limits:
        """Returns the limits of a file."""
        if task.is_text:
            return self._of_text(task.size_bytes)
        return replace(self, memory_bytes=SCAN_BYTES, file_seconds=SCAN_SECONDS) if task.is_scan else self

    def _of_text(self, size_bytes: int) -> Limits:
        """Returns the limits of a text file, which grow with its size."""
        megabytes = size_bytes >> 20
        return replace(
            self,
            document_seconds=min(self.document_seconds, TEXT_SECONDS + TEXT_SECONDS_A_MEGABYTE * megabytes),
            file_seconds=self.file_seconds + TEXT_SECONDS_A_MEGABYTE * megabytes,
            output_bytes=self.output_bytes + TEXT_OUTPUT_SHARE * size_bytes,
        )


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Task:
    """A file to be read."""

    path: str
    """Path of the file."""
    module: str
    """Full name of the module that reads its format."""
    name: str
    """Name of the file as the reader is told."""
    size_bytes: int
    """Size of the file; so many bytes of it are read."""
    is_text: bool = False
    is_scan: bool = False
    """Whether its module is the slow reader of the format, which reads text in pictures."""
    is_sparse: bool = False
    """Whether only its beginning is sent with the request; see `registry.Format.is_sparse`."""
    part_bytes: int = 0
    """About the size of parts, as in `wire.ReadRequest.part_bytes`."""
    stretch: Stretch | None = None
    """The only lines to read, as in `wire.ReadRequest.stretch`."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A file to be read, opened."""

    task: Task
    file: BinaryIO
    """The file, open for reading and seekable."""
    known: KnownRecords = NOTHING_KNOWN
    """Records of the file that the vault has."""


class FileExchange:
    """Exchange of one file with the process."""

    def __init__(self, worker: Worker, limits: Limits, assignment: Assignment) -> None:
        """Sends nothing yet: `hand_over`."""
        self._worker = worker
        self._task = assignment.task
        self._file = assignment.file
        self._known = assignment.known
        self._limits = limits.of(self._task)
        self._room = self._limits.output_bytes
        self._seconds = float(self._limits.file_seconds)
        self._joined = handed_over.Joined(self._task.path)
        self._last_record = -1
        self._ended = False

    @property
    def is_text(self) -> bool:
        """Whether the file is text."""
        return self._task.is_text

    @property
    def left_whole(self) -> bool:
        """Whether the process is ready for another file."""
        return self._ended and not self._worker.deadline.has_passed

    @property
    def request(self) -> ReadRequest:
        """Makes the request that the process is sent."""
        task, limits = self._task, self._limits
        return ReadRequest(
            task.module,
            task.name,
            task.size_bytes,
            min(task.size_bytes, HEAD_BYTES) if task.is_text or task.is_sparse else task.size_bytes,
            limits.memory_bytes,
            limits.document_seconds,
            task.part_bytes,
            task.stretch,
        )

    def send(self, line: bytes, offset: int = 0, size: int = 0) -> None:
        """Sends a line, and a stretch of the file."""
        stream = self._worker.requests
        try:
            with self._waiting():
                stream.write(line)
                for block in _blocks(self._file, offset, size):
                    stream.write(block)
                stream.flush()
        except BrokenPipeError:
            # The process has ended; whoever reads from it learns why.
            return

    def found(self) -> Iterator[Found]:
        """Yields what the process reads of the file.

        Raises:
            SourceError: see `WorkerProcess.documents`.
        """
        while True:
            kind, value = self._message()
            try:
                if kind is Kind.DRAFTS:
                    yield from self._drafts(value)
                elif kind is Kind.OMITTED:
                    yield from handed_over.omissions(value)
                elif kind is Kind.PAGE:
                    yield handed_over.page_read(value)
                elif not self._answered(kind, value):
                    self._ended = kind is not Kind.MEMORY
                    if kind is Kind.END:
                        return
                    raise self._failure(kind, value)
            except ValueError as error:
                raise DocumentError(_TAKEN_OVER) from error

    def _message(self) -> tuple[Kind, bytes]:
        with self._waiting():
            line = self._worker.answers.readline(self._room + 1)
        self._room -= len(line)
        if self._room < 0:
            raise DocumentError(f"it gives more than {self._limits.output_bytes >> 20} MB of text, as {_BOMB}")
        if not line.endswith(b"\n"):
            raise self._ending()
        name, _, value = line.partition(b" ")
        try:
            return Kind(name.decode("ascii")), value
        except ValueError as error:
            raise DocumentError(_TAKEN_OVER) from error

    def _drafts(self, value: bytes) -> Iterator[Draft]:
        for draft in self._joined.drafts(value):
            self._reach(draft.record)
            if self._task.is_text and draft.sentences[-1].sentence.passage.end_byte > self._task.size_bytes:
                raise ValueError("a sentence stands behind the end of the file")
            yield draft

    def _answered(self, kind: Kind, value: bytes) -> bool:
        """Answers a message that asks for something; returns False if it asks for nothing."""
        if kind is Kind.KEPT:
            self._keep(value)
        elif kind is Kind.BLOCK:
            self._send_block(*handed_over.wanted_block(value))
        elif kind is Kind.KNOWN:
            counts = self._known.counts(*handed_over.first_record(value))
            self.send(message(Kind.KNOWN, dict(counts)))
        else:
            return False
        return True

    def _keep(self, value: bytes) -> None:
        for one in handed_over.kept_records(value):
            self._reach(one.record)
            if not self._known.keep(one.record, one.content_hash, one.encoding, one.first):
                raise ValueError("it keeps a record that is not there")

    def _reach(self, record: int) -> None:
        if record <= self._last_record:
            raise ValueError("records are not in order")
        self._last_record = record
        self._known.reached(record)

    def _send_block(self, offset: int, size: int) -> None:
        size = max(0, min(size, COPY_BYTES, self._task.size_bytes - offset))
        self.send(message(Kind.BLOCK, size), offset, size)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Waits for the process at most as long as a document may take, and the whole file."""
        begun = time.monotonic()
        with self._worker.deadline.within(min(self._limits.document_seconds + SPARE_SECONDS, self._seconds)):
            yield
        self._seconds -= time.monotonic() - begun

    def _failure(self, kind: Kind, value: bytes) -> SourceError:
        if kind is Kind.MEMORY:
            limit = f"{self._limits.memory_bytes >> 20} MB of memory"
            return DocumentError(f"it needs more than {limit} to be read, as {_BOMB}")
        told = handed_over.reason(value)[:LONGEST_REASON]
        if kind is Kind.REFUSED:
            return DocumentError(told)
        if kind is Kind.UNKNOWN:
            return SourceError(f"what reads its format cannot be loaded ({told}): install noderag again")
        return DocumentError(
            f"its reader stumbled over it ({told}), so it is damaged, or of another format than its name says"
        )

    def _ending(self) -> SourceError:
        """Returns why the process has ended."""
        how = self._worker.ending()
        limits = self._limits
        longest = f"{limits.document_seconds} s for a document, or {limits.file_seconds} s in all"
        if self._worker.deadline.has_passed:
            return ReaderTooSlow(f"reading it takes longer than {longest}, or the machine stood still meanwhile")
        if how == "SIGXCPU":
            return DocumentError(f"reading it takes longer than {longest}, as an endless loop would")
        if how in _FROM_OUTSIDE:
            return ReaderEnded(f"something ended its reader ({how}), as a system does that is out of memory")
        return DocumentError(f"it made its reader crash ({how}), so it is damaged, or made to do that")


def hand_over(exchanges: Sequence[FileExchange]) -> None:
    """Sends the requests of some files, and the beginnings of the files."""
    requests = [exchange.request for exchange in exchanges]
    exchanges[0].send(batch_line(requests))
    for exchange, request in zip(exchanges, requests, strict=True):
        exchange.send(b"", 0, request.sent_bytes)


def _blocks(file: BinaryIO, offset: int, size: int) -> Iterator[bytes]:
    """Yields a stretch of a file, with NULs if the file has become shorter, since so many bytes were announced."""
    left = size
    if left:
        file.seek(offset)
    while left > 0:
        block = file.read(min(COPY_BYTES, left)) or bytes(min(COPY_BYTES, left))
        left -= len(block)
        yield block
