"""Plain text: paragraphs between blank lines, list items where lines start like some."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.chunks.file_parts import Part
from noderag_local.ingest.chunks.parsed_document import Block, Draft, Fragment
from noderag_local.ingest.chunks.sentence_split import sentences_of
from noderag_local.ingest.formats.text.line_breaks import are_jotted, statement_ends
from noderag_local.ingest.formats.text.text_reader import Found, Keep, TextReader, content_hash, guessed_encoding, stem
from noderag_local.text.languages import language_of

_PARAGRAPH = re.compile(r"^[^\S\n]*+\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[-*+•‣–][ \t]+|\d{1,3}[.)][ \t]+)", re.MULTILINE)
_MESSAGE = re.compile(
    r"^[ \t]{0,8}\[?(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}[./-]\d{1,2}[./-]\d{1,2})[,T]?[ \t\u202f\xa0]?\d{1,2}[:.]\d{2}",
    re.MULTILINE,
)
"""Pattern of a line that begins with a date and a time, as messages in the export of a chat and entries of a log do."""


def blocks(text: str) -> list[Block]:
    """Returns the paragraphs and list items of a text."""
    found: list[Block] = []
    in_jotted = are_jotted(text)
    for paragraph in _PARAGRAPH.finditer(text):
        found += _items(text, paragraph.start(), paragraph.end(), in_jotted=in_jotted)
    return found


def _items(text: str, start: int, end: int, *, in_jotted: bool) -> Iterator[Block]:
    """Yields a paragraph as one block, or cut before each line that starts like a list item."""
    marks = [match.span() for match in _ITEM.finditer(text, start, end)]
    # A single "1. " or "- " at the start of a line of prose is an accident of its line breaks.
    if not marks or (len(marks) == 1 and marks[0][0] != start):
        yield from _prose(text, start, end, in_jotted=in_jotted)
        return
    if marks[0][0] > start:
        yield from _prose(text, start, marks[0][0], in_jotted=in_jotted)
    for (first, after), following in zip(marks, [*marks[1:], (end, end)], strict=True):
        shown = (Fragment(text[after : following[0]], after, following[0]),)
        stop = first + len(text[first : following[0]].rstrip())
        yield Block(BlockKind.LIST_ITEM, first, stop, fragments=shown)


def _prose(text: str, start: int, end: int, *, in_jotted: bool) -> Iterator[Block]:
    """Yields wrapped lines as one block, and others (names, verses, log lines) as a block each."""
    stop = start + len(text[start:end].rstrip())
    lines = text[start:stop].split("\n")
    ends = [*statement_ends(lines, in_jotted=in_jotted), True]
    at = first = start
    for line, ends_block in zip(lines, ends, strict=True):
        at += len(line)
        if ends_block:
            yield Block(BlockKind.PARAGRAPH, first, at)
            first = at + 1
        at += 1


def by_message(text: str, block: Block) -> Iterator[Block]:
    """Yields a paragraph cut before each line with a date and a time, so that each message of a chat keeps its own day."""
    starts = [match.start() for match in _MESSAGE.finditer(text, block.start + 1, block.end)]
    if block.kind is not BlockKind.PARAGRAPH or not starts:
        yield block
        return
    for start, end in pairwise([block.start, *starts, block.end]):
        yield Block(BlockKind.PARAGRAPH, start, start + len(text[start:end].rstrip()))


def _read(name: str, encoding: str, parts: Iterator[Part], keep: Keep, record: int) -> Found:
    for part in parts:
        text = part.decoded.text
        messages = [part for block in blocks(text) for part in by_message(text, block)]
        sentences = sentences_of(text, messages, language_of(text), part.decoded.passages)
        if sentences:
            yield Draft(name, record, stem(name), encoding, content_hash(part.data), text, sentences)
            record += 1


READER = TextReader(_read, guessed_encoding)
