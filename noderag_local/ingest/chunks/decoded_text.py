"""Decoded text that knows the byte in the file, and the line, of each character."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.documents import Passage
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.encodings import Encoding, show_holes

STEP = 4096
"""Characters between two checkpoints: 8 bytes of map for 4096 of text, and 4 KB to encode for a look-up."""

_CRLF = re.compile("\r\n")
_NEWLINE = re.compile("\n")


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
