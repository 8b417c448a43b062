"""A list that draws only visible lines, so that a hundred thousand rows scroll quickly."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from noderag_local.system.printing.plain_text import printable

LONGEST = 1000
"""Maximum characters of a text that are processed for one line; no screen is wider, and some sentences are very long."""


class LineList(ScrollView, can_focus=True):
    """Rows with a cursor; subclasses define what a row shows."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-list--cursor", "line-list--muted", "line-list--empty"}
    DEFAULT_CSS = """
    LineList {
        height: 1fr;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        & > .line-list--muted { color: $text-muted; }
        & > .line-list--empty { color: $text-muted; text-style: italic; }
        & > .line-list--cursor { background: $block-cursor-blurred-background; color: $block-cursor-blurred-foreground; }
        &:focus > .line-list--cursor {
            background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open"),
        Binding("down", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("home", "to(0)", "First", show=False),
        Binding("end", "to(-1)", "Last", show=False),
    ]

    cursor: reactive[int] = reactive(0)
    """The row that is highlighted."""

    class RowMessage(Message):
        """A message about one row."""

        def __init__(self, line_list: LineList, row: int) -> None:
            self.line_list = line_list
            self.row = row
            super().__init__()
            # Textual 8.2 does not let a message pass the widget in whose handler it was sent, which may be a parent of the list.
            self.set_sender(line_list)

        @property
        def control(self) -> LineList:
            """Widget that posted the message, for selectors of `@on`."""
            return self.line_list

    class Highlighted(RowMessage):
        """Posted when the cursor moves to another row."""

    class Chosen(RowMessage):
        """Posted when a row is opened by enter or a click."""

    class Typed(Message):
        """Posted when a letter is typed while the list has the focus."""

        def __init__(self, letter: str) -> None:
            self.letter = letter
            super().__init__()

    def __init__(self, *, id: str | None = None, empty: str = "") -> None:
        """Creates a list without rows.

        Args:
            id: id of the widget.
            empty: text while the list has no rows.
        """
        super().__init__(id=id)
        self.empty = empty
        self._count = 0

    @property
    def count(self) -> int:
        """Number of rows."""
        return self._count

    def cells(self, row: int, width: int) -> Sequence[tuple[str, str]]:
        """Returns the texts of a row as (text, "" or "muted") pairs, together `width` cells wide; subclasses override it."""
        raise NotImplementedError

    def show_rows(self, count: int, cursor: int = 0) -> None:
        """Sets the number of rows and the cursor."""
        self._count = count
        self.virtual_size = Size(0, count)
        self.set_reactive(LineList.cursor, self.validate_cursor(cursor))
        self._follow()
        self.refresh()

    def show_again(self, count: int, cursor: int) -> None:
        """Shows the rows after a change, without scrolling.

        Args:
            count: new number of rows.
            cursor: new row of the item under the cursor.
        """
        self._count = count
        self.virtual_size = Size(0, count)
        self.set_reactive(LineList.cursor, self.validate_cursor(cursor))
        if count:
            self.post_message(self.Highlighted(self, self.cursor))
        self.refresh()

    def validate_cursor(self, row: int) -> int:
        """Limits the cursor to the rows."""
        return max(0, min(row, self._count - 1))

    def watch_cursor(self) -> None:
        """Scrolls to the cursor."""
        self._follow()
        self.refresh()

    def _follow(self) -> None:
        if self._count:
            self.post_message(self.Highlighted(self, self.cursor))
        if self.is_mounted:
            line = Region(0, self.cursor, 1, 1)
            self.scroll_to_region(line, animate=False, force=True, immediate=True, x_axis=False)

    def action_move(self, by: int) -> None:
        """Moves the cursor by lines."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Moves the cursor by pages."""
        self.cursor += by * max(1, self.size.height - 1)

    def action_to(self, row: int) -> None:
        """Moves the cursor to a row; a negative number counts from the end."""
        self.cursor = row if row >= 0 else self._count + row

    def action_choose(self) -> None:
        """Posts `Chosen` for the row under the cursor."""
        if self._count:
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to the clicked row and opens it."""
        row = event.y + self.scroll_offset.y
        if row < self._count:
            self.cursor = row
            self.action_choose()

    def on_key(self, event: events.Key) -> None:
        """Posts `Typed` for a letter, which begins a search."""
        if event.character is not None and event.character.isalpha():
            event.stop()
            self.post_message(self.Typed(event.character))

    def render_line(self, y: int) -> Strip:
        """Returns one visible line."""
        row = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if row >= self._count:
            text = f" {line}" if (line := self._empty_line(row, width)) else ""
            return self._strip([(fitted(text, width), "empty" if text else "")], is_cursor=False)
        return self._strip(self.cells(row, width), is_cursor=row == self.cursor)

    def _empty_line(self, row: int, width: int) -> str:
        """Returns a line of the text that stands in place of rows, wrapped to the width with blanks at both sides."""
        lines = [] if self._count else wrap(self.empty, max(1, width - 2))
        return lines[row] if row < len(lines) else ""

    def _strip(self, cells: Sequence[tuple[str, str]], *, is_cursor: bool) -> Strip:
        names = ["cursor" if is_cursor else own for _, own in cells]
        styles = [self.get_visual_style(f"line-list--{name}") if name else self.get_visual_style() for name in names]
        segments = [Segment(text, style.rich_style) for (text, _), style in zip(cells, styles, strict=True)]
        return Strip(segments).adjust_cell_length(self.scrollable_content_region.width, styles[0].rich_style)


def one_line(text: str) -> str:
    """Returns text that is safe to print and on one line; very long text is cut."""
    return " ".join(printable(text[:LONGEST]).split())


def fitted(text: str, cells: int) -> str:
    """Returns a text of exactly this width, cut with an ellipsis or padded."""
    if cells <= 0:
        return ""
    if cell_len(text) > cells:
        return set_cell_size(text, cells - 1) + "…"
    return set_cell_size(text, cells)
