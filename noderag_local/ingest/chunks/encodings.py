"""Detects the encoding of a file: by its byte order mark, else strict UTF-8, then a guess, then UTF-8 with errors.

A file whose bytes are no UTF-8 is either damaged UTF-8 or of an older encoding. It counts as damaged UTF-8 when it
has more valid multi-byte characters than bytes that fit nowhere; otherwise charset-normalizer guesses from a bounded
sample. All encodings that come out are stateless and round-trip, so that byte offsets can be counted exactly.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain

from noderag_local.domain.errors import DocumentError

SAMPLE_BYTES = 1 << 16
GUESS_BYTES = 1 << 14
"""charset-normalizer needs 0.1 s for 16 KB of Shift JIS; longer samples changed no verdict in our tries."""
MAX_CONTROL_SHARE = 0.1

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CANDIDATES = (
    "cp1252 cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 cp1257 iso8859_2 iso8859_15 koi8_r cp866 mac_roman tis_620 "
    "cp932 euc_jp gb18030 big5 cp949"
)
"""Encodings in which notes are really written; each is stateless and gives back the bytes it read. With the full list,
charset-normalizer took short French for Mac Latin 2 and short Russian for Shift JIS."""
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b")) + b"\x7f"
_HOLE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec, and how it treats bytes that it cannot read."""

    name: str
    """A name that `codecs.lookup` knows and that has a fixed byte order."""
    mark_bytes: int = 0
    """Length of the byte order mark at the start of the file."""

    @property
    def errors(self) -> str:
        """Handler that keeps every undecodable unit as one lone surrogate, so that lengths stay exact."""
        return "surrogatepass" if self.name.startswith(("utf-16", "utf-32")) else "surrogateescape"


def show_holes(text: str) -> str:
    """Returns `text` with U+FFFD in place of lone surrogates, which stand for bytes that could not be decoded."""
    return _HOLE.sub("\ufffd", text) if _has_holes(text) else text


def _has_holes(text: str) -> bool:
    """Returns whether a text contains a lone surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def decode_slice(data: bytes, encoding: str) -> str:
    """Returns a slice of a file as chunks hold it: with Unix line ends, and U+FFFD for undecodable bytes.

    Args:
        data: bytes from `start_byte` to `end_byte` of a passage.
        encoding: encoding of the document.
    """
    text = data.decode(encoding, Encoding(encoding).errors)
    return show_holes(text).replace("\r\n", "\n").replace("\r", "\n")


@cache
def _names() -> frozenset[str]:
    names = [*_CANDIDATES.split(), *(name for _, name in _BYTE_ORDER_MARKS)]
    return frozenset(codecs.lookup(name).name for name in names)


def is_of_text(name: str) -> bool:
    """Returns whether `detect` can return an encoding of this name."""
    return name in _names()


def byte_order_mark(head: bytes) -> Encoding | None:
    """Returns the encoding that a byte order mark declares; None if there is no mark."""
    for mark, name in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return Encoding(name, len(mark))
    return None


def detect(blocks: Iterable[bytes]) -> Encoding:
    """Returns the encoding of a file whose bytes come in blocks; only a sample of them is kept in memory.

    Raises:
        DocumentError: the bytes are no text; the message does not name the file, the caller adds it.
    """
    stream = iter(blocks)
    head = next(stream, b"")
    declared = byte_order_mark(head)
    if declared is not None:
        return declared
    unmarked = _unmarked_utf16(head[:SAMPLE_BYTES])
    if unmarked is not None:
        return unmarked
    refuse_binary(head[:SAMPLE_BYTES])
    return _Detection().run(chain((head,), stream))


def refuse_binary(sample: bytes) -> None:
    """Raises `DocumentError` for bytes that no text without a byte order mark can have.

    Raises:
        DocumentError: there are NUL bytes, or too many other control characters.
    """
    if b"\0" in sample:
        raise DocumentError("it holds NUL bytes, so it is binary and no text")
    controls = len(sample) - len(sample.translate(None, _CONTROL))
    if controls > MAX_CONTROL_SHARE * len(sample):
        raise DocumentError("it holds mostly control characters, so it is binary and no text")


def _unmarked_utf16(sample: bytes) -> Encoding | None:
    """Returns the byte order of UTF-16 text without a mark, as some Windows programs write it; None if it is not UTF-16.

    In such text, nearly all NULs are at even or at odd positions.
    """
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    pairs = len(sample) // 2
    if pairs == 0 or max(even, odd) < 0.4 * pairs or min(even, odd) > 0.02 * pairs:
        return None
    name = "utf-16-be" if even > odd else "utf-16-le"
    try:
        text = codecs.getincrementaldecoder(name)().decode(sample)
    except UnicodeDecodeError:
        return None
    return (
        Encoding(name)
        if sum(character.isprintable() or character.isspace() for character in text) > 0.95 * len(text)
        else None
    )


class _Detection:
    """One pass over a file that counts what UTF-8 makes of it and keeps a sample of what it cannot read."""

    def __init__(self) -> None:
        self.characters = 0
        self.holes = 0
        self.sample = bytearray()

    def run(self, blocks: Iterator[bytes]) -> Encoding:
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        for block in blocks:
            if b"\0" in block:
                raise DocumentError("it holds NUL bytes, so it is binary and no text")
            self._count(decoder.decode(block), block)
        self._count(decoder.decode(b"", True), b"")
        if self.holes == 0 or self.characters > self.holes:
            return Encoding("utf-8")
        return Encoding(_guess(bytes(self.sample)))

    def _count(self, text: str, block: bytes) -> None:
        if text.isascii():
            return
        holes = len(_HOLE.findall(text)) if _has_holes(text) else 0
        self.holes += holes
        self.characters += len(text) - len(text.encode("ascii", "ignore")) - holes
        if holes and len(self.sample) < GUESS_BYTES:
            self.sample += _lines_with_high_bytes(block, GUESS_BYTES - len(self.sample))


def _lines_with_high_bytes(block: bytes, limit: int) -> bytes:
    """Returns the start of a block, without ASCII lines, which tell nothing about its encoding."""
    kept, size = [], 0
    for line in block.splitlines(keepends=True):
        if not line.isascii():
            kept.append(line[: limit - size])
            size += len(kept[-1])
            if size >= limit:
                break
    return b"".join(kept)


def _guess(sample: bytes) -> str:
    """Returns charset-normalizer's guess, or cp1252 if that is as good; "utf-8" if it has none."""
    from charset_normalizer import from_bytes

    matches = from_bytes(sample, cp_isolation=_CANDIDATES.split())
    best = matches.best()
    if best is None:
        return "utf-8"
    for match in matches:
        names = (match.encoding, *match.could_be_from_charset)
        close = match.chaos <= best.chaos + 0.02 and match.coherence >= best.coherence - 0.05
        if "cp1252" in names and close:
            return "cp1252"
    return codecs.lookup(best.encoding).name
