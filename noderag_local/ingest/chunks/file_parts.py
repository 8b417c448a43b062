"""Splits a file into decoded parts of bounded size, which know the byte and line of each character.

Memory does not grow with the file.

Parts end at line ends. Only a line that is longer than a part is cut inside, between two characters. Nearly every
note is one part.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.documents import Passage
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.encodings import Encoding, show_holes

STEP = 4096
"""Characters between two checkpoints: 8 bytes of map for 4096 of text, and 4 KB to encode for a look-up."""

_CRLF = re.compile("\r\n")
_NEWLINE = re.compile("\n")
BLOCK_BYTES = 1 << 20
PART_BYTES = 4 << 20


class Decoded:
    """A stretch of a file as text, with Unix line ends.

    Characters are counted in that text (as Python's text mode reads the file), bytes in the file itself. Both counts go on
    from the end of the stretch before this one, so every passage is absolute in the file.
    """

    def __init__(self, raw: str, encoding: Encoding, *, char: int = 0, byte: int = 0, line: int = 1) -> None:
        """Builds the map from characters to bytes.

        Args:
            raw: as decoded with `encoding.errors`, line ends as in the file.
            encoding: encoding that it was decoded with.
            char: characters of the file before the stretch.
            byte: bytes of the file before the stretch.
            line: number of the first line in the file, from 1.
        """
        self._raw = raw
        self._encoding = encoding
        self._char, self._byte, self._line = char, byte, line
        self._single_byte = raw.isascii() and encoding.errors == "surrogateescape"
        self.text = show_holes(raw)
        self._shrinks: NDArray[np.int64] = np.empty(0, np.int64)
        if "\r" in raw:
            found = np.fromiter((match.start() for match in _CRLF.finditer(raw)), np.int64)
            self._shrinks = found - np.arange(len(found))
            self.text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        self._newlines = np.fromiter((match.start() for match in _NEWLINE.finditer(self.text)), np.int64)
        self._checkpoints = np.zeros(1, np.int64) if self._single_byte else self._measure()

    @property
    def is_first(self) -> bool:
        """Whether the file starts with this stretch."""
        return self._char == 0

    @property
    def byte_length(self) -> int:
        """Length of the stretch in the file, in bytes."""
        return self._bytes_before(len(self._raw))

    @property
    def line_count(self) -> int:
        """Number of line ends in the stretch."""
        return len(self._newlines)

    def passage(self, start: int, end: int) -> Passage:
        """Returns the place of `text[start:end]` in the file."""
        return self.passages([(start, end)])[0]

    def passages(self, spans: Sequence[tuple[int, int]]) -> list[Passage]:
        """Returns the place of each `text[start:end]` in the file; one call for many is much cheaper than many calls."""
        if not spans:
            return []
        ends = np.asarray(spans, np.int64)
        raw = ends + np.searchsorted(self._shrinks, ends) if len(self._shrinks) else ends
        # The last line is that of the last character, not of the position after it.
        lines = np.searchsorted(self._newlines, np.maximum(ends - [0, 1], ends[:, :1])) + self._line
        bytes_ = raw if self._single_byte else self._bytes_at(raw)
        rows = np.concatenate([ends + self._char, bytes_ + self._byte, lines], axis=1).tolist()
        return [Passage(*row) for row in rows]

    def _bytes_at(self, raw: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the byte offsets of positions in the raw text; consecutive positions are measured from one another."""
        flat = raw.ravel()
        order = np.argsort(flat, kind="stable")
        result = np.empty(len(flat), np.int64)
        at, byte = 0, 0
        for index, position in zip(order.tolist(), flat[order].tolist(), strict=True):
            checkpoint = position // STEP
            if checkpoint * STEP > at:
                at, byte = checkpoint * STEP, int(self._checkpoints[checkpoint])
            byte += len(self._raw[at:position].encode(self._encoding.name, self._encoding.errors))
            at = position
            result[index] = byte
        return result.reshape(raw.shape)

    def _bytes_before(self, position: int) -> int:
        return position if self._single_byte else int(self._bytes_at(np.asarray([position]))[0])

    def _measure(self) -> NDArray[np.int64]:
        """Returns the byte offset of every STEP-th character."""
        name, errors = self._encoding.name, self._encoding.errors
        blocks = range(0, len(self._raw), STEP)
        sizes = np.fromiter((len(self._raw[at : at + STEP].encode(name, errors)) for at in blocks), np.int64)
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def decode(data: bytes, encoding: Encoding, **origin: int) -> Decoded:
    """Returns the text and map of some bytes, which start at a character, after any byte order mark.

    Raises:
        DocumentError: the bytes do not fit the encoding.
    """
    try:
        raw = data.decode(encoding.name, encoding.errors)
    except UnicodeDecodeError as error:
        raise DocumentError(f"its bytes are no {encoding.name}: {error.reason} at byte {error.start}") from error
    return Decoded(raw, encoding, **origin)


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
