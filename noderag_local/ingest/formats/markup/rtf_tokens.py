"""Splits the bytes of a Rich Text file into control words, groups, and text in the code page of its font."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|([^\\{}\r\n]+)", re.DOTALL
)

CODE_PAGES = {
    0: "",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}
"""Codec of a font by its \\fcharset; "" is that of the document."""


@dataclass(frozen=True, slots=True)
class Token:
    """Piece of a file; exactly one of `word`, `sign`, `brace` and `data` is set."""

    word: str = ""
    """Control word, without backslash."""
    number: int | None = None
    """Number that follows the control word."""
    sign: str = ""
    """Character of a control symbol: \\~ is "~"."""
    brace: str = ""
    data: bytes = b""
    """Text in the code page of its font."""
    is_escaped: bool = False
    """Whether the data are one byte written as \\'e4, which counts as one character after \\u."""


def tokens(data: bytes) -> Iterator[Token]:
    """Yields the pieces of a file in order, without binary data and without what fits no piece."""
    at = 0
    while found := _TOKEN.search(data, at):
        at = found.end()
        word, number, escaped, sign, brace, text = found.groups()
        if word:
            value = int(number) if number else None
            if word == b"bin":
                at += max(value or 0, 0)
            yield Token(word=word.decode("ascii"), number=value)
        elif escaped:
            yield Token(data=bytes.fromhex(escaped.decode("ascii")), is_escaped=True)
        elif sign:
            yield Token(sign=sign.decode("latin-1"))
        elif brace:
            yield Token(brace=brace.decode("ascii"))
        else:
            yield Token(data=text)
