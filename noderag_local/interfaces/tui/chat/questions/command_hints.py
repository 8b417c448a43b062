"""How a command that is being written may go on."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from noderag_local.interfaces.tui.chat.questions.slash_commands import Hint


class CommandHints(Static):
    """Stands over the question box while there is something to complete."""

    DEFAULT_CSS = """
    CommandHints { height: auto; max-height: 10; padding: 0 2; color: $text-muted; background: $boost; display: none; }
    CommandHints.-open { display: block; }
    """

    def offer(self, hints: Sequence[Hint]) -> None:
        """Shows the ways to go on, the one that tab takes first."""
        width = max((len(hint.text) for hint in hints), default=0)
        rows = [
            Content.styled(hint.text, "bold") + Content(" " * (width - len(hint.text) + 2)) + Content(hint.does)
            for hint in hints
        ]
        if rows:
            rows[0] += Content("  (tab)")
        self.update(Content("\n").join(rows))
        self.set_class(bool(rows), "-open")
