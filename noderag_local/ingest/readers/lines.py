"""A text file whose lines are documents without a title."""

from __future__ import annotations

import re
from collections.abc import Iterator

from noderag_local.ingest.draft import Block, Draft
from noderag_local.ingest.parts import Part
from noderag_local.ingest.readers.reader import Reader, Records, content_hash, guessed_encoding
from noderag_local.ingest.segment import sentences_of
from noderag_local.records import BlockKind
from noderag_local.words.language import language_of

_LINE = re.compile(r"[^\n]*\S[^\n]*")


def _read(path: str, encoding: str, parts: Iterator[Part]) -> Records:
    record = 0
    for part in parts:
        text = part.decoded.text
        for line in _LINE.finditer(text):
            yield _draft(path, record, encoding, part, line.start(), line.end())
            record += 1


def _draft(path: str, record: int, encoding: str, part: Part, start: int, end: int) -> Draft:
    text = part.decoded.text
    block = Block(BlockKind.PARAGRAPH, start, end)
    sentences = sentences_of(text, [block], language_of(text[start:end]), part.decoded.passages)
    digest = content_hash(part.bytes_of(part.decoded.passage(start, end)))
    return Draft(path, record, "", encoding, digest, text, sentences)


READER = Reader(_read, guessed_encoding)
