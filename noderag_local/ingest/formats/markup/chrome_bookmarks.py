"""Reads the bookmarks of Chrome, Edge and other Chromium browsers: a JSON file called "Bookmarks".

Another file of this name is read as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.block_writer import BlockWriter
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.markup.bookmarks import Bookmark, day_added, write_bookmark

SECONDS_TO_1970 = 11_644_473_600
"""Seconds from 1601, where Chrome begins to count, to 1970."""
_FIRST_LEVEL = 2
"""Heading level of the outermost folders; the title has level 1."""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = text_of(file)
    writer = BlockWriter()
    roots = _roots(text)
    if roots is None:
        for paragraph in text.split("\n\n"):
            writer.add(BlockKind.PARAGRAPH, paragraph)
    else:
        _write(roots, writer)
    yield ExtractedDocument("", tuple(writer.blocks))


def _roots(text: str) -> list[dict[str, Any]] | None:
    """Returns the outermost folders; None if the file has no bookmarks of Chrome."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    roots = found.get("roots") if isinstance(found, dict) else None
    return [root for root in roots.values() if isinstance(root, dict)] if isinstance(roots, dict) else None


def _write(roots: list[dict[str, Any]], writer: BlockWriter) -> None:
    waiting = [(root, _FIRST_LEVEL) for root in reversed(roots)]
    while waiting:
        node, level = waiting.pop()
        writer.under(level, "")
        if node.get("type") == "url":
            added = str(node.get("date_added") or "")
            seconds = int(added) / 1_000_000 - SECONDS_TO_1970 if added.isdecimal() and len(added) < 20 else 0
            bookmark = Bookmark(str(node.get("name") or ""), str(node.get("url") or ""), day_added(seconds))
            write_bookmark(bookmark, writer)
            continue
        children = node.get("children")
        if isinstance(children, list) and children:
            writer.heading(level, str(node.get("name") or ""))
            waiting += [(child, level + 1) for child in reversed(children) if isinstance(child, dict)]


EXTRACTOR = Extractor(_read)
