"""Splits a file into decoded parts of bounded size, so that memory does not grow with the file.

Parts end at line ends. Only a line that is longer than a part is cut inside, between two characters. Nearly every
note is one part.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from noderag_local.domain.documents import Passage
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.decoded_text import Decoded, decode
from noderag_local.ingest.chunks.encodings import Encoding

BLOCK_BYTES = 1 << 20
PART_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a file; it holds whole lines unless a line is longer than a part."""

    decoded: Decoded
    data: bytes
    """The bytes of the part."""
    start_byte: int
    """Offset of the start in the file, in bytes."""
    ends_inside_line: bool
    """Whether the last line continues in the next part."""

    def bytes_of(self, passage: Passage) -> bytes:
        """Returns the bytes of a passage in this part."""
        return self.data[passage.start_byte - self.start_byte : passage.end_byte - self.start_byte]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Whole lines of a file with one record a line: the only lines that must be read."""

    char: int
    """Offset of the start in the file's text, in characters."""
    byte: int
    """Offset of the start in the file, in bytes."""
    line: int
    """Number of the first line."""
    record: int
    """Number of the first record in these lines."""
    end_byte: int
    known: int
    """Number of records of the file that need not be read."""

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self.end_byte - self.byte


def part_of(file: BinaryIO, encoding: Encoding, stretch: Stretch) -> Part:
    """Returns a stretch of a file as one part.

    Raises:
        DocumentError: the bytes do not fit the encoding.
    """
    file.seek(stretch.byte)
    data = file.read(stretch.size)
    return Part(
        decode(data, encoding, char=stretch.char, byte=stretch.byte, line=stretch.line), data, stretch.byte, False
    )


def blocks_of(file: BinaryIO) -> Iterator[bytes]:
    """Yields a file from its start in blocks of BLOCK_BYTES."""
    file.seek(0)
    while block := file.read(BLOCK_BYTES):
        yield block


def parts(file: BinaryIO, encoding: Encoding, part_bytes: int = PART_BYTES) -> Iterator[Part]:
    """Yields the whole file, part by part.

    Args:
        file: read from its start, without its byte order mark.
        encoding: encoding of the file.
        part_bytes: approximate size of the largest part.

    Raises:
        DocumentError: the bytes do not fit the encoding.
    """
    file.seek(encoding.mark_bytes)
    decoder = codecs.getincrementaldecoder(encoding.name)(encoding.errors)
    char, byte, line = 0, encoding.mark_bytes, 1
    raw, pending, at_end = "", b"", False
    while not at_end or raw:
        while not at_end and len(pending) < part_bytes:
            block = file.read(min(BLOCK_BYTES, part_bytes))
            at_end = not block
            pending += block
            raw += _decode(decoder, block, at_end, encoding, byte)
        if not raw:
            return
        cut = len(raw) if at_end else _cut(raw)
        decoded = Decoded(raw[:cut], encoding, char=char, byte=byte, line=line)
        size = decoded.byte_length
        if at_end and size != len(pending):
            raise DocumentError(f"its bytes are not what {encoding.name} would write, so no place in it can be cited")
        yield Part(decoded, pending[:size], byte, not at_end and not raw[:cut].endswith(("\n", "\r")))
        char, byte, line = char + len(decoded.text), byte + size, line + decoded.line_count
        raw, pending = raw[cut:], pending[size:]


def _decode(decoder: codecs.IncrementalDecoder, block: bytes, final: bool, encoding: Encoding, byte: int) -> str:
    try:
        return decoder.decode(block, final)
    except UnicodeDecodeError as error:
        place = f"{error.reason} after byte {byte}"
        raise DocumentError(f"its bytes are no {encoding.name} ({place}), though it starts like it") from error


def _cut(raw: str) -> int:
    """Returns where a part ends: after its last line end, else before its last character, which may be half a line end."""
    inside = raw[:-1]
    cut = max(raw.rfind("\n"), inside.rfind("\r")) + 1
    return cut or max(len(inside), 1)
