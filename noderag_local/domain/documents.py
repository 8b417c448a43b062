"""Files, documents, chunks, sentences and their places.

Character offsets count the characters of the decoded text of a file, byte offsets the bytes of the file as it lies on
disk; both are half-open. Lines count from 1, and a line range includes its last line.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """Kind of a block of a document; it decides how the block is cut into sentences."""

    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that the scan found."""

    path: str
    """Absolute path, as the file system spells it."""
    size_bytes: int
    modified_ns: int
    real_path: str = ""
    """The same path with links resolved; "" if the scan did not resolve it."""
    root: str = ""
    """Absolute path that the user named and from which the scan reached it; "" for a file that no scan found."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was left out of the index, and why."""

    path: str
    reason: str
    """Short phrase, the same for the same cause, so that files can be counted by it: "hidden", "over 20 MB" …"""
    detail: str = ""
    """Sentence that says what happened and what to do; empty if the reason says enough (a hidden folder, for example)."""
    is_error: bool = False
    """Whether the user would have expected this to be indexed."""

    @property
    def told(self) -> str:
        """Returns a line for the user with the path and the reason."""
        return self.detail if self.path in self.detail else f"{self.path}: {self.detail or self.reason}"

    @property
    def is_of_a_record(self) -> bool:
        """Whether one record is broken and the rest of its file is fine."""
        return self.reason.startswith(("damaged record", "record "))


@dataclass(frozen=True, slots=True)
class WikiLink:
    """`[[target#section|label]]` or a Markdown link to another file of the folder."""

    target: str
    """Name or path of the document that the link leads to, without its section."""
    label: str
    """Text of the link as a reader sees it; equal to `target` where the link has no alias."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Place of a piece of text in its file. Every offset counts from the start of the file, not of the document.

    For formats other than text (`ingest/formats/`), offsets count in the extracted text of the document, and byte offsets in
    its UTF-8 encoding.
    """

    start: int
    end: int
    start_byte: int
    end_byte: int
    first_line: int
    """First line, from 1; 0 where the file has no lines."""
    last_line: int
    place: str = ""
    """Place in the file other than a line: "page 3", "slide 2"; a range is "page 3 – page 4"."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, list item, table row, heading or code fence: the smallest thing that is retrieved."""

    position: int
    """0-based, in its document."""
    text: str
    """Text as shown to readers: without list marks, emphasis and link brackets; white space is folded except in code."""
    kind: BlockKind
    passage: Passage
    links: tuple[WikiLink, ...] = ()
    tags: tuple[str, ...] = ()
    """Tags without the leading #."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole sentences packed to 250–350 tokens; never crosses a document (text node T)."""

    position: int
    """0-based, in its document."""
    text: str
    """The file's own text from the first sentence to the last, line ends as \\n, undecodable bytes as U+FFFD."""
    headings: tuple[str, ...]
    """Headings above the chunk's first sentence, outermost first, without the document's title."""
    passage: Passage
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One document: a Markdown or text file, a record of a JSON Lines file, a line of a file read by lines."""

    path: str
    """Absolute path of the file."""
    record: int
    """0-based number of the document in its file; 0 where the file is one document."""
    title: str
    """Title; empty where the document has none. Where each line is a document, file names are not used as titles."""
    encoding: str
    """Name of a codec of Python's `codecs`; "" where the text comes from another format than text."""
    content_hash: str
    """Hexadecimal SHA-256 of the bytes of this document, that is, of its record in the file; for formats other than text, of the
    extracted content."""
    chunks: tuple[Chunk, ...]
    tags: tuple[str, ...] = ()
    """Tags from the front matter, without the leading #."""
    aliases: tuple[str, ...] = ()
    """Other names of the document, from its front matter."""
    day: str = ""
    """Day that the document itself tells, such as "2026-05-03": in its front matter, in the head of a mail, or as that on which another
    program made it; "" where it tells none."""
