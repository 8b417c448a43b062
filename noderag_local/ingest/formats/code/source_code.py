"""Reads source code: each class and function with its comment is a block under its qualified name.

The rest of a file (imports, constants, statements) is blocks between them; every line is in exactly one block.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import BinaryIO

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, String

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts
from noderag_local.ingest.formats.code.code_definitions import Definition, definitions, language_of_file
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of

MAX_PARSED_CHARACTERS = 1 << 20
"""Longer files are generated or packed, and are taken by their lines alone."""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = text_of(file)
    lines = text.split("\n")
    found: list[Definition] = []
    if len(text) <= MAX_PARSED_CHARACTERS:
        language = language_of_file(name)
        found = definitions(lines, _masked(text, language.lexer).split("\n"), language)
    writer = BlockWriter()
    for owner, numbers in groupby(range(len(lines)), key=_owners(found, len(lines)).__getitem__):
        filled = [number for number in numbers if lines[number].strip()]
        if filled:
            first, last = filled[0], filled[-1]
            writer.under(1, found[owner].name if owner >= 0 else "")
            where = Whereabouts(first_line=first + 1, last_line=last + 1)
            writer.add(BlockKind.CODE, "\n".join(lines[first : last + 1]), where)
    yield ExtractedDocument(name, tuple(writer.blocks))


def _owners(found: list[Definition], count: int) -> list[int]:
    """Returns for each line the index of the innermost definition around it; -1 if there is none."""
    owners = [-1] * count
    for index, definition in enumerate(found):  # outer ones come before those in them
        owners[definition.first : definition.end] = [index] * (definition.end - definition.first)
    return owners


def _masked(text: str, lexer: str) -> str:
    """Returns source code with spaces in place of comments and strings; all other characters stay where they were.

    Args:
        text: source code with Unix line ends.
        lexer: name of a lexer of Pygments.
    """
    pieces: list[str] = []
    at = 0
    for start, kind, value in get_lexer_by_name(lexer).get_tokens_unprocessed(text):
        if start < at:
            continue  # some lexers give a stretch twice, whole and in its parts
        pieces.append(text[at:start])
        at = start + len(value)
        hidden = kind in String or (kind in Comment and kind not in Comment.Preproc)
        pieces.append(_blank(value) if hidden else value)
    return "".join([*pieces, text[at:]])


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


EXTRACTOR = Extractor(_read)
