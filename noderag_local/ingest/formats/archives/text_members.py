"""Makes documents of the text files in an archive; their lines become part of the place that a citation names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.chunks.file_parts import parts
from noderag_local.ingest.chunks.parsed_document import Draft, DraftSentence
from noderag_local.ingest.formats.exports.note_head import BOX, TICKED
from noderag_local.ingest.formats.extract import ExtractedBlock, ExtractedDocument
from noderag_local.ingest.formats.text.text_reader import TextReader
from noderag_local.text.check_boxes import BEFORE_ITEM_BOX

_BOX = re.compile(rf"{BEFORE_ITEM_BOX}\[(?P<sign>[ xX])\][ \t]")


def text_documents(reader: TextReader, file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    """Yields the documents of a text file, with notices of what could not be read.

    Args:
        reader: reader of its format.
        file: open for reading bytes and seekable.
        name: name of the file, with that of its folder.

    Raises:
        DocumentError: it is no text.
    """
    encoding = reader.detect(file)
    for found in reader.read(name, encoding.name, parts(file, encoding, reader.part_bytes), lambda *_: False, 0):
        if isinstance(found, Draft):
            yield ExtractedDocument(found.title, tuple(_blocks(found)), found.tags, found.aliases, day=found.day)
        else:
            line = f"line {found.line} " if found.line else ""
            yield ExtractedDocument("", (), notices=(f"{line}{found.detail}".rstrip("."),))


def _blocks(draft: Draft) -> Iterator[ExtractedBlock]:
    """Yields the blocks of a document; each is a sentence that begins a block and the sentences up to the next such one."""
    count = 0

    def number(one: DraftSentence) -> int:
        nonlocal count
        count += one.starts_block
        return count

    for _, run in groupby(draft.sentences, number):
        yield _block(draft.text, list(run))


def _block(text: str, run: list[DraftSentence]) -> ExtractedBlock:
    first, last = run[0].sentence, run[-1].sentence
    between = "\n" if first.kind is BlockKind.CODE else " "
    return ExtractedBlock(
        first.kind,
        _box(text, run[0]) + between.join(one.sentence.text for one in run),
        run[0].headings,
        first_line=first.passage.first_line,
        last_line=last.passage.last_line,
        links=tuple(dict.fromkeys(link for one in run for link in one.sentence.links)),
        tags=tuple(dict.fromkeys(tag for one in run for tag in one.sentence.tags)),
    )


def _box(text: str, one: DraftSentence) -> str:
    """Returns the check box in front of an item, which only the text of the file shows; "" if there is none."""
    start = text.rfind("\n", 0, one.start) + 1
    match = _BOX.match(text, start, one.end)
    if match is None or match.end() < one.start:
        return ""
    return BOX if match["sign"] == " " else TICKED
