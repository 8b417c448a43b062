"""What the reader of a format takes out of a file: blocks of text in reading order, with the place of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from noderag_local.records import BlockKind, WikiLink


@dataclass(frozen=True, slots=True)
class ExtractedBlock:
    """A heading, paragraph, list item, table row or piece of code."""

    kind: BlockKind
    text: str
    """As a person reads it; not empty, without control characters, its lines parted by \\n."""
    headings: tuple[str, ...] = ()
    """Those that it stands under, outermost first; a heading's own text is not among them."""
    place: str = ""
    """What a person looks it up by where the file has no lines: "page 3", "slide 2", "sheet Costs, row 12"."""
    first_line: int = 0
    """1-based, in the file; 0 where the file has no lines to open."""
    last_line: int = 0
    links: tuple[WikiLink, ...] = ()
    tags: tuple[str, ...] = ()
    """Without the leading #."""


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """One document of a file; most files are one, a mailbox is many."""

    title: str
    """"" where the file has none; its name is taken then."""
    blocks: tuple[ExtractedBlock, ...]
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """What could not be read and a person should know: "page 4 is a picture without text"."""


@dataclass(frozen=True, slots=True)
class Extractor:
    """How a format becomes documents."""

    suffixes: tuple[str, ...]
    """Lower case, with the dot."""
    read: Callable[[BinaryIO, str], Iterator[ExtractedDocument]]
    """(file, open for reading bytes and seekable; its name without folder) → its documents, in order.

    Raises:
        DocumentError: it is damaged, locked by a password or not of this format. The message says what is wrong with
            it, without naming the file.
    """
