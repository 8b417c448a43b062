"""A line that can be walked to and taken: by tab and enter, or with the mouse."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static


class Pick(Static, can_focus=True):
    """Shows one line; posts `Picked` when it is taken."""

    DEFAULT_CSS = """
    Pick {
        height: auto;
        padding: 0 1;
        color: $text-muted;
        &:hover { background: $boost; }
        &:focus { background: $primary-muted; color: $text; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "pick", "Open"),
        Binding("down,j", "screen.focus_next", "Next", show=False),
        Binding("up,k", "screen.focus_previous", "Previous", show=False),
    ]

    class Picked(Message):
        """It was taken."""

        def __init__(self, pick: Pick) -> None:
            self.pick = pick
            super().__init__()

        @property
        def control(self) -> Pick:
            return self.pick

    def __init__(self, line: Content, classes: str = "") -> None:
        super().__init__(line, classes=classes)

    def action_pick(self) -> None:
        """Tells that it was taken."""
        self.post_message(self.Picked(self))

    def on_click(self) -> None:
        """As enter."""
        self.action_pick()
