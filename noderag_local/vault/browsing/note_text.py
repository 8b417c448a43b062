"""Reads the text of a document to be shown: from its file where that is text, else as the vault stores it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from noderag_local.domain.errors import DocumentError
from noderag_local.domain.passages import Source
from noderag_local.ingest.chunks.encodings import decode_slice, detect
from noderag_local.ingest.chunks.file_parts import blocks_of
from noderag_local.ingest.formats.registry import format_of
from noderag_local.ingest.scan.opened_file import opened
from noderag_local.system.printing.plain_text import printable

MOST_BYTES = 64 << 20
"""Bytes of a file that are shown; the settings refuse larger ones."""
SAME_SHARE = 0.9
"""Minimal share of a passage's words that its lines must have; some may differ, since readers remove markup."""
LEAVES = ("page ", "slide ")
"""Prefixes of places (see `Passage.place`) that divide a document's text."""
TAB_CELLS = 4

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class NoteText:
    """A document's text by lines; they hold no control characters."""

    lines: tuple[str, ...]
    is_file: bool
    """Whether these are the lines of the file; else the text as it was read from it."""
    is_markdown: bool = False
    headings: frozenset[int] = frozenset()
    """0-based numbers of the lines that are headings, of a text as it was read."""
    leaves: frozenset[int] = frozenset()
    """0-based numbers of the lines that name a page or slide, of a text as it was read."""
    starts: tuple[int, ...] = field(default=(), repr=False)
    """Byte of the file, or of the text as it was read, at which each line begins; empty for the lines of a file."""
    remark: str = ""
    """Why the file itself cannot be shown; "" if it can, or need not be."""

    def lines_of(self, passage: Source) -> tuple[int, int] | None:
        """Returns the first and last line, 0-based, that have a passage; None if the text says something else now."""
        if self.starts:
            first = bisect_right(self.starts, passage.start_byte) - 1
            last = bisect_right(self.starts, max(passage.end_byte - 1, passage.start_byte)) - 1
        else:
            first, last = passage.first_line - 1, passage.last_line - 1
        if 0 <= first <= last < len(self.lines) and _says(self.lines[first : last + 1], passage.text):
            return first, last
        return self._found_elsewhere(passage.text)

    def _found_elsewhere(self, said: str) -> tuple[int, int] | None:
        """Finds a passage of one line that has moved within its file."""
        words = " ".join(said.split())
        moved = (number for number, line in enumerate(self.lines) if words and words in line)
        found = next(moved, None)
        return None if found is None else (found, found)


def is_shown_from_file(path: str) -> bool:
    """Returns whether the lines of a file are what a person reads of it; other formats are shown as they were read."""
    known = format_of(path)
    return (known.is_text and not known.has_record_a_line) or known.name == "code"


def file_text(path: str) -> NoteText:
    """Reads a file.

    Raises:
        DocumentError: the file is gone, cannot be read, or is no text any more.
    """
    try:
        with opened(path) as file:
            encoding = detect(blocks_of(file.file))
            file.file.seek(encoding.mark_bytes)
            data = file.file.read(MOST_BYTES)
    except DocumentError as error:
        raise DocumentError(f"{path} has changed and is no text now. Below is what was indexed.") from error
    except FileNotFoundError as error:
        raise DocumentError(f"{path} is gone. Below is what was indexed.") from error
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror or error}. Below is what was indexed.") from error
    lines = _lines(decode_slice(data, encoding.name))
    return NoteText(lines, is_file=True, is_markdown=format_of(path).name == "markdown")


def stored_text(sentences: Sequence[Source], headings: frozenset[int], remark: str = "") -> NoteText:
    """Joins the sentences of a document to lines: a paragraph each, with the pages or slides told between them.

    Args:
        sentences: all sentences, in reading order.
        headings: places in `sentences` of those that are headings.
        remark: as `NoteText.remark`.
    """
    lines: list[str] = []
    starts: list[int] = []
    heading_lines, leaves = set[int](), set[int]()
    place = ""
    for paragraph in _paragraphs(sentences):
        first = sentences[paragraph[0]]
        added: list[str] = []
        if first.place != place and first.place.startswith(LEAVES):
            place = first.place
            leaves.add(len(lines))
            added.append(f"– {place} –")
        is_heading = paragraph[0] in headings
        if is_heading and lines and not added:
            added.append("")
        if is_heading:
            heading_lines.add(len(lines) + len(added))
        added += _lines(" ".join(sentences[number].text.strip() for number in paragraph))
        lines += added
        starts += [first.start_byte] * len(added)
    return NoteText(tuple(lines), False, False, frozenset(heading_lines), frozenset(leaves), tuple(starts), remark)


def _paragraphs(sentences: Sequence[Source]) -> Iterator[list[int]]:
    """Yields runs of sentences that are adjacent on a line or, in files without lines, adjacent in bytes."""
    paragraph: list[int] = []
    for number, sentence in enumerate(sentences):
        if paragraph and not _goes_on(sentences[paragraph[-1]], sentence):
            yield paragraph
            paragraph = []
        paragraph.append(number)
    if paragraph:
        yield paragraph


def _goes_on(before: Source, source: Source) -> bool:
    if source.first_line:
        return source.first_line <= before.last_line
    return source.start_byte <= before.end_byte + 1


def _lines(text: str) -> tuple[str, ...]:
    shown = printable(text)
    if "\t" in shown:
        shown = shown.replace("\t", " " * TAB_CELLS)
    lines = shown.split("\n")
    return tuple(lines[:-1] if len(lines) > 1 and not lines[-1] else lines)


def _says(lines: Sequence[str], said: str) -> bool:
    wanted, there = (set(_WORD.findall(printable(text).casefold())) for text in (said, "\n".join(lines)))
    return len(wanted & there) >= SAME_SHARE * len(wanted)
