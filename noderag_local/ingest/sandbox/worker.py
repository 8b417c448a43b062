"""Reads files behind the walls and within limits; this is what runs in the reading process.

A process that `serving_process` starts reads many texts. Files of other formats are read in a process each (`fork_server`).
"""

from __future__ import annotations

import importlib
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from noderag_local.domain.documents import Passage
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.drafts import read_format
from noderag_local.ingest.chunks.encodings import Encoding
from noderag_local.ingest.chunks.file_parts import Stretch, part_of, parts
from noderag_local.ingest.chunks.parsed_document import Draft, Found, Omission, PageRead
from noderag_local.ingest.formats.text.text_reader import Keep, TextReader
from noderag_local.ingest.sandbox.outbox import Outbox
from noderag_local.ingest.sandbox.wire import Kind, ReadRequest, message, requests_of
from noderag_local.system.walls.enclosure import shut_in
from noderag_local.system.walls.limits import limit_cpu, limit_memory
from noderag_local.system.walls.network import leave_network
from noderag_local.system.walls.parent import die_with
from noderag_local.system.walls.standing import standing_line

ROOM_TO_SPEAK_BYTES = 1 << 20
"""Memory kept free so that a process can report that it has none left."""


class SentFile(io.RawIOBase):
    """A file whose beginning came with the request, and whose other bytes the parent is asked for."""

    def __init__(self, head: bytes, size_bytes: int, ask: Callable[[int, int], bytes]) -> None:
        """Begins at the start of the file.

        Args:
            head: the beginning of the file.
            size_bytes: size of the whole file.
            ask: (offset, size) → at most so many bytes of the file from there; b"" at its end.
        """
        self._head = memoryview(head)
        self._size_bytes = size_bytes
        self._ask = ask
        self._at = 0

    def readable(self) -> bool:
        """Returns True."""
        return True

    def seekable(self) -> bool:
        """Returns True."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Moves to a position, as `io.IOBase.seek` does; asks for nothing."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size_bytes}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fills the buffer, as `io.RawIOBase.readinto` does, with at most as many bytes as the parent sends at once."""
        wanted = len(buffer)
        if self._at < len(self._head):
            data: bytes | memoryview = self._head[self._at : self._at + wanted]
        elif self._at < self._size_bytes:
            data = self._ask(self._at, wanted)
        else:
            data = b""
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def sent_file(head: bytes, size_bytes: int, ask: Callable[[int, int], bytes]) -> BinaryIO:
    """Returns a buffered file that reads as many bytes as it is asked for. See `SentFile` for the arguments."""
    if len(head) >= size_bytes:
        return io.BytesIO(head)
    return io.BufferedReader(SentFile(head, size_bytes, ask), 1 << 20)


def main(parent: int) -> None:
    """Answers requests until their stream ends or the memory is used up.

    Args:
        parent: id of the process that sends them; this one dies with it.
    """
    has_left_network = leave_network()
    die_with(parent)
    serve(*_taken_over(), has_left_network)


def serve(requests: BinaryIO, answers: BinaryIO, has_left_network: bool) -> None:
    """Shuts this process in, and answers requests until their stream ends or the memory is used up."""
    line = _Line(requests, answers)
    line.write(standing_line(shut_in(has_left_network)))
    while batch := line.requests():
        if not _have_room(batch, line):
            # What else may have failed for the want of memory nobody knows, so this process has read its last file.
            limit_memory(ROOM_TO_SPEAK_BYTES)
            line.write(message(Kind.MEMORY))
            return


def _taken_over() -> tuple[BinaryIO, BinaryIO]:
    """Returns the streams to and from the parent. They are no longer standard input and output, since libraries print."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)
    return requests, answers


class _Line:
    """The streams to and from the parent."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests = requests
        self._answers = answers

    def requests(self) -> list[ReadRequest]:
        """Returns the files to read next; none when there are no more."""
        line = self._requests.readline()
        return requests_of(line) if line else []

    def read(self, size: int) -> bytes:
        """Returns the next bytes that the parent sends."""
        return self._requests.read(size)

    def write(self, data: bytes) -> None:
        """Sends a message at once."""
        self._answers.write(data)
        self._answers.flush()

    def ask(self, kind: Kind, value: object) -> object:
        """Returns the parent's answer to a question, a JSON value."""
        self.write(message(kind, value))
        return json.loads(self._requests.readline().partition(b" ")[2])

    def block(self, offset: int, size: int) -> bytes:
        """Returns a stretch of the file, or its beginning; b"" at the end of the file."""
        sent = self.ask(Kind.BLOCK, [offset, size])
        assert isinstance(sent, int)
        return self.read(sent)


class _KeptRecords:
    """Records of a file that the vault has, known by the hashes of their content."""

    def __init__(self, line: _Line, outbox: Outbox) -> None:
        self._line = line
        self._outbox = outbox
        self._counts: dict[str, int] | None = None

    def keep(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """Keeps as many records of the same content as the vault has. See `text_reader.Keep`."""
        if self._counts is None:
            counts = self._line.ask(Kind.KNOWN, [encoding, content_hash])
            assert isinstance(counts, dict)
            self._counts = counts
        left = self._counts.get(content_hash, 0)
        if left:
            self._counts[content_hash] = left - 1
            self._outbox.kept(record, content_hash, encoding, first)
        return left > 0


def _have_room(requests: Sequence[ReadRequest], line: _Line) -> bool:
    """Reads some files; returns whether there was enough memory for all of them.

    All that was sent is taken before the first answer, or both sides would wait to be read.
    """
    try:
        limit_memory(max(request.memory_bytes for request in requests) + sum(one.sent_bytes for one in requests))
        heads = [line.read(request.sent_bytes) for request in requests]
    except MemoryError:
        return False
    files = (sent_file(head, request.size_bytes, line.block) for request, head in zip(requests, heads, strict=True))
    return all(_has_room(request, file, line) for request, file in zip(requests, files, strict=True))


def _has_room(request: ReadRequest, file: BinaryIO, line: _Line) -> bool:
    """Reads a file and reports how it ended; returns whether there was enough memory."""
    outbox = Outbox(line.write)
    try:
        try:
            module = importlib.import_module(request.module)
        except ImportError as error:
            line.write(message(Kind.UNKNOWN, str(error)))
            return True
        # The library itself is not counted.
        limit_memory(request.memory_bytes)
        limit_cpu(request.seconds)
        for found in _found(request, module, file, _KeptRecords(line, outbox)):
            if isinstance(found, Draft):
                outbox.draft(found)
            elif isinstance(found, PageRead):
                outbox.page_read(found)
            else:
                outbox.omission(found)
            limit_cpu(request.seconds)
        outbox.hand_over()
    except DocumentError as error:
        line.write(message(Kind.REFUSED, str(error)))
    except MemoryError:
        # Not raised on: where there is no memory left for a number, CPython 3.11 goes round for ever in leaving a handler.
        return False
    except Exception as error:  # noqa: BLE001 - whatever a library raises on a damaged file, it costs this file alone
        line.write(message(Kind.STUMBLED, type(error).__name__))
    else:
        line.write(message(Kind.END))
    return True


def _found(request: ReadRequest, module: object, file: BinaryIO, kept: _KeptRecords) -> Iterator[Found]:
    reader = getattr(module, "READER", None)
    if reader is None:
        return read_format(module.EXTRACTOR, file, request.name)  # type: ignore[attr-defined]
    return _read_text(
        reader, file, request.name, part_bytes=request.part_bytes, stretch=request.stretch, keep=kept.keep
    )


def _read_text(
    reader: TextReader, file: BinaryIO, name: str, *, part_bytes: int, stretch: Stretch | None, keep: Keep
) -> Iterator[Draft | Omission]:
    """Yields the documents of a text file that the vault lacks, and the records that cannot be read.

    Args:
        reader: reader of its format.
        file: open for reading bytes and seekable.
        name: name of the file, with that of its folder.
        part_bytes: approximate size of the parts in which it is read; 0 means the size that suits the format.
        stretch: the only lines to read of a file in UTF-8; None means all.
        keep: asked for each record of a format with a record a line.

    Raises:
        DocumentError: it is no text.
    """
    if stretch is None:
        encoding = reader.detect(file)
        return reader.read(name, encoding.name, parts(file, encoding, part_bytes or reader.part_bytes), keep, 0)
    encoding = Encoding("utf-8")
    return reader.read(name, encoding.name, iter((part_of(file, encoding, stretch),)), keep, stretch.record)
