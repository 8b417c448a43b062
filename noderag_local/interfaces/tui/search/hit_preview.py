"""Shows a hit in the reader beside the list: a document at the passage, the page of an entity, or a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from noderag_local.domain.graph import NodeType
from noderag_local.interfaces.tui.reader.navigation import NavigationStep
from noderag_local.interfaces.tui.reader.node_page import Entry
from noderag_local.interfaces.tui.shared.marked_words import marked
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.vault.browsing.instant_search import HitKind, SearchHit

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.reader.note_reader import NoteReader
    from noderag_local.storage.conversations.conversations import Turn

MOST_TURNS = 40
"""Turns of a conversation that are shown, the first ones."""
LONGEST_ANSWER = 2000
"""Characters of an answer that are shown; the conversation itself has all of it."""


def show_page(reader: NoteReader, hit: SearchHit, words: tuple[str, ...]) -> None:
    """Shows the page of a document, at its passage if the hit is one, or that of an entity, with words marked."""
    kind = NodeType.ENTITY if hit.kind is HitKind.NAME else NodeType.DOCUMENT
    reader.open(NavigationStep(kind, hit.node, hit.name, hit.source), words)


def show_conversation(reader: NoteReader, hit: SearchHit, turns: Sequence[Turn], words: Sequence[str]) -> None:
    """Shows the turns of a conversation, with words marked."""
    reader.show_lines([Entry(marked(text, words)) for text in _conversation_lines(hit.name, turns)])


def _conversation_lines(name: str, turns: Sequence[Turn]) -> Iterator[Content]:
    yield on_one_line(name, "bold")
    for turn in turns[:MOST_TURNS]:
        yield Content("\n") + safe_text(turn.question, "bold $text-primary")
        yield safe_text(turn.answer[:LONGEST_ANSWER])
    if len(turns) > MOST_TURNS:
        yield Content.styled(
            f"and {len(turns) - MOST_TURNS:,} more: enter opens the conversation", "$text-muted italic"
        )
