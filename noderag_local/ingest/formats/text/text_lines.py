"""A text file whose lines are documents without a title."""

from __future__ import annotations

import re
from collections.abc import Iterator

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.chunks.file_parts import Part
from noderag_local.ingest.chunks.parsed_document import Block, Draft
from noderag_local.ingest.chunks.sentence_split import sentences_of
from noderag_local.ingest.formats.text.text_reader import Found, Keep, TextReader, content_hash, guessed_encoding
from noderag_local.text.languages import language_of

_LINE = re.compile(r"^[^\S\n]*+\S[^\n]*+", re.MULTILINE)
_NO_SPACE = re.compile(r"\S")


def _read(name: str, encoding: str, parts: Iterator[Part], keep: Keep, record: int) -> Found:
    for part in parts:
        text = part.decoded.text
        lines = [match.span() for match in _LINE.finditer(text)]
        firsts = [(_first_letter(text, start), end) for start, end in lines]
        # In one call, as thousands of lines may be known.
        whole = part.decoded.passages(lines)
        shown = whole if firsts == lines else part.decoded.passages(firsts)
        for (start, end), line, first in zip(lines, whole, shown, strict=True):
            digest = content_hash(part.bytes_of(line))
            if not keep(record, digest, encoding, first):
                yield _draft(name, record, encoding, digest, part, start, end)
            record += 1


def _first_letter(text: str, start: int) -> int:
    if not text[start].isspace():
        return start
    found = _NO_SPACE.search(text, start)
    return found.start() if found else start


def _draft(name: str, record: int, encoding: str, digest: str, part: Part, start: int, end: int) -> Draft:
    text = part.decoded.text
    block = Block(BlockKind.PARAGRAPH, start, end)
    sentences = sentences_of(text, [block], language_of(text[start:end]), part.decoded.passages)
    return Draft(name, record, "", encoding, digest, text, sentences)


READER = TextReader(_read, guessed_encoding)
