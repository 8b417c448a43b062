"""Lines below an answer that can be opened, and the message for a clicked citation."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.system.printing.cited_place import where


class LinkLine(Static, can_focus=True):
    """Shows a line that can be opened; posts `Chosen` when it is."""

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
        Binding("down,j", "app.focus_next", "Next", show=False),
        Binding("up,k", "app.focus_previous", "Previous", show=False),
    ]

    class Chosen(Message):
        """Posted when a person opens the line."""

        def __init__(self, line: LinkLine) -> None:
            self.line = line
            super().__init__()

        @property
        def control(self) -> LinkLine:
            """Widget that posted the message, for selectors of `@on`."""
            return self.line

    def __init__(self, line: Content, classes: str = "") -> None:
        super().__init__(line, classes=classes)

    def action_choose(self) -> None:
        """Posts `Chosen`."""
        self.post_message(self.Chosen(self))

    def on_click(self) -> None:
        """Posts `Chosen`, as enter does."""
        self.action_choose()


class SourceLine(LinkLine):
    """Shows a source's number, file and headings, and its lines or page."""

    def __init__(self, source: Source, remark: str = "") -> None:
        """Creates the line of a source.

        Args:
            source: source that the line opens.
            remark: short text after the place; "" for none.
        """
        super().__init__(place(source, remark))
        self.source = source


def place(source: Source, remark: str = "") -> Content:
    """Returns the place of a source in the notes, on one line."""
    headings = [name for name in source.headings if name]
    stands = where(source.first_line, source.last_line, source.place)
    parts = [
        Content(f"[{source.number}] " if source.number else ""),
        on_one_line(Path(source.path).name, "$text-accent"),
        *(Content(" › ") + on_one_line(name) for name in headings),
        Content(" · " if stands else "") + on_one_line(stands),
        Content(f" · {remark}" if remark else ""),
    ]
    return Content("").join(parts)


class CitationClicked(Message):
    """Posted when a person clicks the number of a source in an answer."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()
