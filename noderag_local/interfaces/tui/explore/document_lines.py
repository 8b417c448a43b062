"""Makes the lines of a document's page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from noderag_local.domain.graph import NodeType
from noderag_local.interfaces.tui.explore.navigation import NavigationStep
from noderag_local.interfaces.tui.explore.node_page import Entry, heading
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.system.printing.amounts import counted

if TYPE_CHECKING:
    from noderag_local.domain.passages import Source
    from noderag_local.storage.browsing.atlas_rows import NamedDocument
    from noderag_local.vault.browsing.document_page import DocumentPage, PageSentence

LEAVES = ("page ", "slide ")
"""Prefixes of places (see `Passage.place`) that divide a document's text."""


def document_entries(page: DocumentPage) -> Iterator[Entry]:
    """Yields the document's paragraphs, each leading to its place, then the entities and documents linked with it."""
    yield Entry(_head(page))
    yield from _text(page)
    left = page.all_sentences - len(page.sentences)
    if left:
        yield Entry(Content.styled(f"and {counted(left, 'sentences')} more: e opens the file", "$text-muted italic"))
    if page.entities:
        yield heading("Named here")
    for entity in page.entities:
        text = Content("→ ") + on_one_line(entity.name) + Content.styled(f"  ×{entity.together}", "$text-muted")
        yield Entry(text, NavigationStep(NodeType.ENTITY, entity.node, entity.name))
    yield from _linked("Links to", page.links)
    yield from _linked("Linked from", page.linked_from)


def _head(page: DocumentPage) -> Content:
    figures = Content.styled(counted(page.all_sentences, "sentences"), "$text-muted")
    tags = [on_one_line(f"#{tag}", "$text-accent") for tag in page.tags]
    return Content("  ").join([on_one_line(page.name, "bold"), figures, *tags])


def _text(page: DocumentPage) -> Iterator[Entry]:
    place = ""
    for paragraph in _paragraphs(page.sentences):
        first, end_byte = paragraph[0], paragraph[-1].source.end_byte
        turns = first.source.place != place and first.source.place.startswith(LEAVES)
        if turns:
            place = first.source.place
            yield Entry(Content("\n") + on_one_line(f"– {place} –", "$text-muted"))
        text = " ".join(sentence.source.text.strip() for sentence in paragraph)
        if not first.is_heading:
            yield Entry(safe_text(text), first.source, end_byte)
        # Most notes begin with their title, which is already shown above.
        elif first is not page.sentences[0] or text != page.name:
            yield Entry(Content("" if turns else "\n") + safe_text(text, "bold"), first.source, end_byte)


def _paragraphs(sentences: Sequence[PageSentence]) -> Iterator[list[PageSentence]]:
    """Yields runs of sentences that are adjacent on a line or, in files without lines, adjacent in bytes."""
    paragraph: list[PageSentence] = []
    for sentence in sentences:
        if paragraph and not _goes_on(paragraph[-1].source, sentence.source):
            yield paragraph
            paragraph = []
        paragraph.append(sentence)
    if paragraph:
        yield paragraph


def _goes_on(before: Source, source: Source) -> bool:
    if source.first_line:
        return source.first_line <= before.last_line
    return source.start_byte <= before.end_byte + 1


def _linked(title: str, documents: Sequence[NamedDocument]) -> Iterator[Entry]:
    if documents:
        yield heading(title)
    for document in documents:
        step = NavigationStep(NodeType.DOCUMENT, document.node, document.name)
        yield Entry(Content("→ ") + on_one_line(document.name), step)
