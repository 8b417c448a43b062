"""Reads pages that Notion exports as Markdown: the title without its identifier, and each property as a line of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, pairwise

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.chunks.file_parts import Part
from noderag_local.ingest.chunks.parsed_document import Block
from noderag_local.ingest.formats.exports.notion_names import page_link, page_name, tags_of
from noderag_local.ingest.formats.text.inline import shown
from noderag_local.ingest.formats.text.markdown import NoteBlocks, note_drafts
from noderag_local.ingest.formats.text.note_metadata import NoteNames
from noderag_local.ingest.formats.text.text_reader import Found, Keep, TextReader, guessed_encoding

MAX_PROPERTIES = 200
"""Maximum number of property lines under a title; pages have about a dozen, and longer lists are text."""

_PROPERTY = re.compile(r"(?P<name>[^:\n]{1,60}): (?P<value>[^\n]+)")


def _read(name: str, encoding: str, parts: Iterator[Part], keep: Keep, record: int) -> Found:
    names = NoteNames(page_name(name), (page_name(name),))
    return note_drafts(name, encoding, parts, record, names, _own_blocks)


def _own_blocks(text: str, blocks: list[Block], is_first: bool) -> NoteBlocks:
    """Returns the blocks of a page, with each property as a block and with page names as link targets."""
    under_title = _paragraph_under_title(blocks) if is_first else []
    found = [_properties(text, block) for block in under_title]
    # One line that is no property, and the paragraph is text.
    properties = list(chain.from_iterable(found)) if all(found) else []
    if not properties:
        return NoteBlocks(list(map(_linked, blocks)))
    tags = (tag for match in properties for tag in tags_of(match["name"], match["value"]))
    lines = (_line(text, under_title[0], match) for match in properties)
    others = blocks[1 + len(under_title) :]
    return NoteBlocks([_linked(block) for block in (blocks[0], *lines, *others)], tuple(dict.fromkeys(tags)))


def _paragraph_under_title(blocks: list[Block]) -> list[Block]:
    """Returns the blocks of the first paragraph, whose lines may be blocks of their own."""
    if not blocks or blocks[0].kind is not BlockKind.HEADING:
        return []
    end = next(
        (
            at
            for at, (before, block) in enumerate(pairwise(blocks[1:]), start=2)
            if block.start != before.end + 1 or block.kind is not BlockKind.PARAGRAPH
        ),
        len(blocks),
    )
    return blocks[1:end]


def _properties(text: str, block: Block) -> list[re.Match[str]]:
    """Returns the properties under the title of a page; empty if any line of the block is something else."""
    found: list[re.Match[str]] = []
    at = block.start
    while block.kind is BlockKind.PARAGRAPH and at < block.end:
        match = _PROPERTY.match(text, at, block.end)
        if match is None or len(found) == MAX_PROPERTIES:
            return []
        found.append(match)
        at = match.end() + 1
    return found


def _line(text: str, block: Block, match: re.Match[str]) -> Block:
    fragments, markers = shown(text, *match.span())
    return replace(block, start=match.start(), end=match.end(), fragments=fragments, markers=markers)


def _linked(block: Block) -> Block:
    markers = []
    for marker in block.markers:
        link = page_link(marker.link.target, marker.link.label) if marker.link else None
        markers.append(replace(marker, link=link) if link else marker)
    return replace(block, markers=tuple(markers))


READER = TextReader(_read, guessed_encoding)
