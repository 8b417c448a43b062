"""A line that can be focused and opened: by tab and enter, or with the mouse."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static


class LinkLine(Static, can_focus=True):
    """Shows one line; posts `Chosen` when a person opens it."""

    DEFAULT_CSS = """
    LinkLine {
        height: auto;
        padding: 0 1;
        color: $text-muted;
        &:hover { background: $boost; }
        &:focus { background: $primary-muted; color: $text; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "choose", "Open"),
        Binding("down,j", "screen.focus_next", "Next", show=False),
        Binding("up,k", "screen.focus_previous", "Previous", show=False),
    ]

    class Chosen(Message):
        """A person opened the line."""

        def __init__(self, line: LinkLine) -> None:
            self.line = line
            super().__init__()

        @property
        def control(self) -> LinkLine:
            return self.line

    def __init__(self, line: Content, classes: str = "") -> None:
        super().__init__(line, classes=classes)

    def action_choose(self) -> None:
        """Posts `Chosen`."""
        self.post_message(self.Chosen(self))

    def on_click(self) -> None:
        """Does what enter does."""
        self.action_choose()
