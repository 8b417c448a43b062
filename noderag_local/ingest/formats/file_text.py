"""Decodes the bytes of a file, or of a part of one, to text with Unix line ends."""

from __future__ import annotations

import codecs
from typing import BinaryIO

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.encodings import Encoding, byte_order_mark, detect, show_holes

_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
"""Codecs of Python that no document is written in; some take quadratic time."""


def text_of(file: BinaryIO) -> str:
    """Returns the whole file as text, in the encoding that its bytes suggest.

    Raises:
        DocumentError: it is no text.
    """
    file.seek(0)
    return decoded(file.read())


def decoded(data: bytes, declared: str = "") -> str:
    """Returns some bytes as text; those that do not fit become U+FFFD.

    Args:
        data: bytes, with or without a byte order mark.
        declared: name of the encoding that the data come with. It is ignored if there is a byte order mark, and if it is
            unknown, no encoding of text, or does not fit the data.

    Raises:
        DocumentError: no fitting encoding is declared, and the bytes are no text.
    """
    mark = byte_order_mark(data)
    text = None if mark else _as_declared(data, declared)
    if text is None:
        encoding = mark or detect([data])
        text = _decoded(data[encoding.mark_bytes :], encoding)
    return show_holes(text).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, encoding: Encoding) -> str:
    try:
        return data.decode(encoding.name, encoding.errors)
    except UnicodeDecodeError as error:
        raise DocumentError(f"its bytes are no {encoding.name}, though it starts like it") from error


def _as_declared(data: bytes, declared: str) -> str | None:
    try:
        name = codecs.lookup(declared.strip().strip("\"'")).name
        # Pages and mails that say Latin-1 are written in Windows-1252, which holds it.
        return None if name in _NO_CHARSETS else data.decode("cp1252" if name == "iso8859-1" else name)
    except (LookupError, ValueError):
        return None
