"""Records of a document between reading and packing: its blocks, then its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.domain.documents import BlockKind, Sentence, WikiLink

MAX_TITLE_CHARACTERS = 300
MAX_BREADCRUMB_CHARACTERS = 300
"""Most characters of all headings over a passage together."""
CUT = "…"
PARTLY_READ = "partly read"
"""Reason of an omission that leaves the rest of its document readable."""
SCAN_UNREAD = "text in pictures not read"
"""Reason of an omission that the slow reader of the same format mends, by OCR."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A stretch of a block's source that shows as `text`; the two differ only where markup stands for characters."""

    text: str
    start: int
    """Offset in the decoded text of the part."""
    end: int


@dataclass(frozen=True, slots=True)
class Marker:
    """A link or tag, with its place in the source."""

    start: int
    link: WikiLink | None = None
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, table row, heading or code fence."""

    kind: BlockKind
    start: int
    """Offset in the decoded text of the part."""
    end: int
    headings: tuple[str, ...] = ()
    fragments: tuple[Fragment, ...] | None = None
    """Pieces that people read of the block; None if the source is shown as it stands."""
    markers: tuple[Marker, ...] = ()

    def shown_in(self, text: str) -> str:
        """Returns the block as people read it; `text` is the part's."""
        if self.fragments is None:
            return text[self.start : self.end]
        return "".join(fragment.text for fragment in self.fragments)


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence, with what chunking needs to know about it."""

    sentence: Sentence
    start: int
    """Offset in the draft's `text`; the passage cannot serve, since in a JSON record it is the record's line."""
    end: int
    headings: tuple[str, ...]
    starts_block: bool


@dataclass(frozen=True, slots=True)
class Omission:
    """Something in a file that was not read, while the rest of the file was."""

    reason: str
    """Short reason, as in `Skipped.reason`."""
    detail: str
    """What is wrong and what to do, worded to follow the path of the file: "is no JSON. Fix or remove the line."""
    line: int = 0
    """Number of the line that could not be read; 0 if it concerns no single line."""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class PageRead:
    """News of the slow reader: a page that is a picture has been read. The document follows when all pages have been read."""

    page: int
    """Number of pages that are read, from 1."""
    pages: int
    """Number of pages to read in the file."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A document that is cut into sentences but not yet into chunks."""

    path: str
    record: int
    title: str
    encoding: str
    content_hash: str
    text: str
    """Decoded text that the sentences' offsets count in; documents of one file may share it."""
    sentences: tuple[DraftSentence, ...]
    """Sentences of the document; there is at least one."""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    day: str = ""
    """Day that the document itself tells, as in `Document`."""

    @property
    def characters(self) -> int:
        """Length of the document in characters."""
        return self.sentences[-1].end - self.sentences[0].start

    def source(self, first: int, last: int) -> str:
        """Returns the file's own text from one sentence to another, both by position and both included."""
        return self.text[self.sentences[first].start : self.sentences[last].end]


Found = Draft | Omission | PageRead
"""Defines what a reading process finds in a file, one after the other."""


def short_title(title: str) -> str:
    """Returns the title on one line, cut at its end if it is too long."""
    line = " ".join(title[: 4 * MAX_TITLE_CHARACTERS].split())
    return line if len(line) <= MAX_TITLE_CHARACTERS else line[: MAX_TITLE_CHARACTERS - 1].rstrip() + CUT


def breadcrumb(headings: Sequence[str]) -> tuple[str, ...]:
    """Returns the headings over a passage, outermost first; if there is not room for all, the innermost ones."""
    kept: list[str] = []
    room = MAX_BREADCRUMB_CHARACTERS
    for heading in reversed(headings):
        if len(heading) > room:
            kept += [heading[: room - 1].rstrip() + CUT] * (not kept)
            break
        kept.append(heading)
        room -= len(heading)
    return tuple(reversed(kept))
