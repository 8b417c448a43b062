"""Makes the lines beside a note: its outline, the notes that link to it or name it, and the names in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from textual.content import Content

from noderag_local.domain.graph import NodeType
from noderag_local.interfaces.tui.reader.entity_entries import relation_entries
from noderag_local.interfaces.tui.reader.navigation import LineOfNote, NavigationStep
from noderag_local.interfaces.tui.reader.node_page import Entry, NodePage, heading
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line

if TYPE_CHECKING:
    from noderag_local.domain.passages import Source
    from noderag_local.interfaces.tui.reader.note_lines import OutlineHeading
    from noderag_local.storage.browsing.atlas_rows import NamedDocument
    from noderag_local.vault.browsing.note_page import NotePage

MOST_HEADINGS = 400
"""Headings of an outline; a file with more is data."""
LONGEST_EXCERPT = 90
"""Characters of a sentence that names the note."""
NOTHING = "No headings, links or names."


class NoteMargin(NodePage):
    """The lines beside a note."""


def margin_entries(page: NotePage, outline: Sequence[OutlineHeading]) -> Iterator[Entry]:
    """Yields stated relations, headings, documents that link here, documents that name the note without a link, and names."""
    parts = [
        *relation_entries(page.relations),
        *_outline(outline),
        *_documents("Linked from", page.linked_from),
        *_mentions(page.mentioned),
        *_documents("Links to", page.links),
        *_names(page),
    ]
    yield from parts or [Entry(Content.styled(NOTHING, "$text-muted italic"))]


def _outline(outline: Sequence[OutlineHeading]) -> Iterator[Entry]:
    if outline:
        yield heading("Outline", f"{len(outline):,}")
    for one in outline[:MOST_HEADINGS]:
        yield Entry(Content("  " * (min(one.level, 6) - 1)) + on_one_line(one.title), LineOfNote(one.line))


def _documents(title: str, documents: Sequence[NamedDocument]) -> Iterator[Entry]:
    if documents:
        yield heading(title, f"{len(documents):,}")
    for document in documents:
        step = NavigationStep(NodeType.DOCUMENT, document.node, document.name)
        yield Entry(Content("→ ") + on_one_line(document.name), step)


def _mentions(sources: Sequence[Source]) -> Iterator[Entry]:
    if sources:
        yield heading("Named, without a link", f"{len(sources):,}")
    for source in sources:
        name = source.title or PurePath(source.path).name
        text = " ".join(source.text.split())
        shown = text if len(text) <= LONGEST_EXCERPT else f"{text[:LONGEST_EXCERPT]}…"
        yield Entry(Content("→ ") + on_one_line(name) + Content("\n  ") + on_one_line(shown, "$text-muted"), source)


def _names(page: NotePage) -> Iterator[Entry]:
    if page.entities:
        yield heading("Names in it", f"{len(page.entities):,}")
    for entity in page.entities:
        text = Content("→ ") + on_one_line(entity.name) + Content.styled(f"  ×{entity.together}", "$text-muted")
        yield Entry(text, NavigationStep(NodeType.ENTITY, entity.node, entity.name))
