"""Defines what the reader of a format makes of a file: blocks of text in reading order, with their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any, BinaryIO

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.ingest.chunks.parsed_document import PageRead

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ExtractedBlock:
    """A heading, paragraph, list item, table row or piece of code."""

    kind: BlockKind
    text: str
    """Text as a person reads it: not empty, without control characters, with Unix line ends."""
    headings: tuple[str, ...] = ()
    """Headings above the block, outermost first; a heading's own text is not among them."""
    place: str = ""
    """Place in a file without lines: "page 3", "slide 2", "sheet Costs, row 12"."""
    first_line: int = 0
    """Number of the first line in the file, from 1; 0 if the file has no lines to open."""
    last_line: int = 0
    links: tuple[WikiLink, ...] = ()
    tags: tuple[str, ...] = ()
    """Tags without the leading #."""


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """One document of a file; most files are one, a mailbox is many."""

    title: str
    """Title in the file; "" if it has none, and the document is called by the name of the file."""
    blocks: tuple[ExtractedBlock, ...]
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """Messages about what could not be read: "page 4 has letters that cannot be told"."""
    scanned_pages: tuple[int, ...] = ()
    """Numbers of the pages that are pictures and whose text was not read; 0 stands for a file that is one picture."""
    day: str = ""
    """Day that the document itself tells, as in `Document`."""


def writable(document: ExtractedDocument) -> ExtractedDocument:
    """Returns the document with U+FFFD in place of lone surrogates, which no encoding can write."""
    return _writable(document) if any(map(_LONE_SURROGATE.search, _texts(document))) else document


def _texts(value: Any) -> Iterator[str]:
    """Yields all texts in a document, or in a part of one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif is_dataclass(value):
        for one in fields(value):
            yield from _texts(getattr(value, one.name))


def _writable(value: Any) -> Any:
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, tuple):
        return tuple(_writable(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: _writable(getattr(value, one.name)) for one in fields(value)})
    return value


@dataclass(frozen=True, slots=True)
class Extractor:
    """Reader of a format other than text."""

    read: Callable[[BinaryIO, str], Iterator[ExtractedDocument | PageRead]]
    """(file, open for reading bytes and seekable; its name without folder) → its documents, in order. A slow reader also
    yields a `PageRead` after each page.

    Raises:
        DocumentError: it is damaged, locked by a password or not of this format. The message says what is wrong with
            it, without naming the file.
    """
