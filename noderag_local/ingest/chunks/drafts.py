"""Makes drafts, which are documents cut into sentences, from what the reader of a format other than text takes out of a file."""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind, Passage
from noderag_local.ingest.chunks.encodings import Encoding
from noderag_local.ingest.chunks.file_parts import Decoded
from noderag_local.ingest.chunks.parsed_document import (
    PARTLY_READ,
    Block,
    Draft,
    Found,
    Fragment,
    Marker,
    Omission,
    PageRead,
    short_title,
)
from noderag_local.ingest.chunks.scan_notes import unread_scans
from noderag_local.ingest.chunks.sentence_split import sentences_of
from noderag_local.ingest.formats.extract import ExtractedBlock, ExtractedDocument, Extractor, writable
from noderag_local.ingest.formats.text.text_reader import stem
from noderag_local.text.dates.told_day import iso_day
from noderag_local.text.languages import language_of

NOTICES_TOLD = 5
"""Most notices of a document that are reported; a scanned book has one a page."""


BETWEEN_BLOCKS = "\n\n"
LOOKED_AHEAD = 1 << 14
"""Characters that are searched for the next link of a block, since a file can have 100,000 links that its text does not show."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WHOLE = (BlockKind.HEADING, BlockKind.TABLE_ROW)
_UTF8 = Encoding("utf-8")


def read_format(extractor: Extractor, file: BinaryIO, name: str) -> Iterator[Found]:
    """Yields the documents of a file, what could not be read of them, and each page that a slow reader has read.

    Args:
        extractor: reader of the format.
        file: open for reading bytes and seekable.
        name: name of the file, without its folder.

    Raises:
        DocumentError: it cannot be read.
    """
    record = 0
    for found in extractor.read(file, name):
        if isinstance(found, PageRead):
            yield found
            continue
        document = writable(found)
        if document.notices:
            yield Omission(PARTLY_READ, _told(document.notices))
        if document.scanned_pages:
            yield unread_scans(document.scanned_pages)
        draft = drafted(name, record, document)
        if draft is not None:
            yield draft
            record += 1


def _told(notices: tuple[str, ...]) -> str:
    more = f"; and {len(notices) - NOTICES_TOLD} more" if len(notices) > NOTICES_TOLD else ""
    return f"was not read in full: {'; '.join(notices[:NOTICES_TOLD])}{more}."


def drafted(path: str, record: int, document: ExtractedDocument) -> Draft | None:
    """Returns the document as a draft; None if it has no text.

    The text of the draft, in which the offsets of its sentences count, is that of its blocks with an empty line between two.
    A sentence has the place of its block; in a file with lines it has its own lines if they can be told.

    Args:
        path: path of the file.
        record: 0-based number of the document in the file.
        document: what the reader of the format gave.
    """
    blocks = [replace(block, text=text) for block in document.blocks if (text := _CONTROL.sub(" ", block.text)).strip()]
    text = BETWEEN_BLOCKS.join(block.text for block in blocks)
    starts = _starts(blocks)
    title = short_title(_CONTROL.sub(" ", document.title)) or stem(path)
    cut = [_block(block, start, title) for block, start in zip(blocks, starts, strict=True)]
    places = _Places(text, blocks, starts)
    sentences = sentences_of(text, cut, language_of(text), places.of)
    if not sentences:
        return None
    day = iso_day(document.day)
    return Draft(path, record, title, "", _hash(document), text, sentences, document.tags, document.aliases, day)


def _starts(blocks: Sequence[ExtractedBlock]) -> list[int]:
    """Returns where each block begins in the text of the document."""
    starts, at = [], 0
    for block in blocks:
        starts.append(at)
        at += len(block.text) + len(BETWEEN_BLOCKS)
    return starts


def _block(block: ExtractedBlock, start: int, title: str) -> Block:
    end = start + len(block.text)
    headings = tuple(heading for heading in block.headings if heading != title)
    # With fragments, headings and rows stay one sentence whatever full stops they have.
    fragments = (Fragment(block.text, start, end),) if block.kind in _WHOLE else None
    links, tags = (_found(block.text, names) for names in ([link.label for link in block.links], block.tags))
    markers = [Marker(start + at, link=link) for at, link in zip(links, block.links, strict=True)]
    markers += [Marker(start + at, tag=tag) for at, tag in zip(tags, block.tags, strict=True)]
    return Block(block.kind, start, end, headings, fragments, tuple(markers))


def _found(text: str, names: Sequence[str]) -> Iterator[int]:
    """Yields where names stand that a text shows one after the other; one that is not found gets the place before."""
    at = 0
    for name in names:
        at = max(at, text.find(name, at, at + LOOKED_AHEAD))
        yield at


class _Places:
    """Map from stretches of a document's text to their places in the file."""

    def __init__(self, text: str, blocks: Sequence[ExtractedBlock], starts: Sequence[int]) -> None:
        self._decoded = Decoded(text, _UTF8)
        self._blocks, self._starts = blocks, starts
        ends = [start + len(block.text) for block, start in zip(blocks, starts, strict=True)]
        self._extents = self._decoded.passages(list(zip(starts, ends, strict=True)))

    def of(self, spans: Sequence[tuple[int, int]]) -> list[Passage]:
        return [self._placed(passage) for passage in self._decoded.passages(spans)]

    def _placed(self, passage: Passage) -> Passage:
        index = bisect_right(self._starts, passage.start) - 1
        block, extent = self._blocks[index], self._extents[index]
        if block.first_line and block.last_line - block.first_line == extent.last_line - extent.first_line:
            # The block has as many lines as the file at its place, so the sentence has its own.
            before = block.first_line - extent.first_line
            first, last = passage.first_line + before, passage.last_line + before
        else:
            first, last = block.first_line, block.last_line
        return Passage(passage.start, passage.end, passage.start_byte, passage.end_byte, first, last, block.place)


def _hash(document: ExtractedDocument) -> str:
    """Returns the hash of all that is stored of a document, places included: a page that is put in moves those after it."""
    kept = asdict(replace(document, notices=()))
    # What was not read is no part of what was.
    del kept["scanned_pages"]
    if not document.day:
        # The hash of a document without a day is that of before days were told, so that its record is known again.
        del kept["day"]
    return hashlib.sha256(json.dumps(kept, ensure_ascii=True).encode("ascii")).hexdigest()
