"""What an answer cost, for who wants to know."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.storage.conversations.conversations import Turn
from noderag_local.system.printing.amounts import rate

FEWEST_TOKENS = 10
"""Of an answer: the first ones come in one piece, and a rate of them says nothing."""


class TurnCost(Static):
    """One line: the method, the search, the model, the tokens and the times."""

    DEFAULT_CSS = """
    TurnCost { height: auto; padding: 0 1; color: $text-disabled; }
    """

    def __init__(self, turn: Turn) -> None:
        super().__init__(Content(" · ").join([searched(turn), *told(turn)]))


def searched(turn: Turn) -> Content:
    """How the context was found."""
    found = turn.found
    return Content(f"{found.method}, {found.elapsed_ms:,.0f} ms")


def told(turn: Turn) -> list[Content]:
    """What the model took; nothing where none was asked."""
    cost = turn.cost
    if cost is None:
        return []
    writing = cost.seconds - cost.first_word_seconds
    parts = [on_one_line(turn.model)]
    if cost.written_tokens:
        parts.append(Content(f"first word {cost.first_word_seconds:.1f} s, all {cost.seconds:.1f} s"))
        tells = cost.written_tokens >= FEWEST_TOKENS and writing > 0
        speed = f", {rate((cost.written_tokens - 1) / writing)}/s" if tells else ""
        parts.append(Content(f"{cost.read_tokens:,} tokens read, {cost.written_tokens:,} written{speed}"))
    return parts
