"""The line that a search is typed into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from noderag_local.interfaces.tui.search.filter_hints import FilterHint

PLACEHOLDER = "Words, a name, or folder: tag: kind: after: before:"


class SearchLineInput(Input):
    """A line with completions of its filters; the arrow keys go through the list, whose widget the screen knows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Open"),
        Binding("tab", "complete", "Complete", show=False),
    ]

    class Left(Message):
        """Posted when a person leaves the line for the preview."""

    def __init__(self) -> None:
        super().__init__(id="search-line", placeholder=PLACEHOLDER, select_on_focus=False)
        self.hints: Sequence[FilterHint] = ()
        """Completions that tab accepts, the first one first; set by the screen."""

    def action_complete(self) -> None:
        """Completes the filter with the first hint; without hints, leaves the line."""
        if self.hints:
            self.value = self.hints[0].line
            self.cursor_position = len(self.value)
        else:
            self.post_message(self.Left())
