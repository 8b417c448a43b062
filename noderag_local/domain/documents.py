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
    """The same path with links resolved, as the scan found it; "" where it was not looked up."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was left out of the index, and why."""

    path: str
    reason: str
    """A short phrase that the same cause always gives, so that it can be counted: "hidden", "over 20 MB" …"""
    detail: str = ""
    """A sentence that says what happened and what to do; empty where the reason says enough (a hidden folder, for example)."""
    is_error: bool = False
    """Whether the user would have expected this to be indexed."""

    @property
    def told(self) -> str:
        """Returns the line to show about it, with its path."""
        return self.detail if self.path in self.detail else f"{self.path}: {self.detail or self.reason}"


@dataclass(frozen=True, slots=True)
class WikiLink:
    """`[[target#section|label]]` or a Markdown link to another file of the folder."""

    target: str
    """Name or path of the document that is meant, without its section."""
    label: str
    """Text of the link as a reader sees it; equal to `target` where the link has no alias."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The place of a stretch of text in its file. Every offset is absolute in the file, not in the document.

    What was read out of another format than text (`ingest/formats/`) has no bytes of its own there: its offsets count in the
    text of the document as it was read, bytes as UTF-8.
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
    """Text as a person reads it: without list marks, emphasis and link brackets, white space folded (code keeps its own)."""
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
    """Breadcrumb of the headings over its first sentence, outermost first; without the document's title."""
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
    """SHA-256 of the bytes of this document (of the record, not of its whole file), hexadecimal; of what was read out of
    it where its format is no text."""
    chunks: tuple[Chunk, ...]
    tags: tuple[str, ...] = ()
    """Tags from the front matter, without the leading #."""
    aliases: tuple[str, ...] = ()
    """Other names of the document, from its front matter."""
