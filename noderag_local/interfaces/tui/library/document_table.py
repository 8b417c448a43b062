"""A table of documents that draws only visible lines, so that ten thousand documents scroll and filter quickly."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from noderag_local.domain.library import DocumentState, LibraryDocument
from noderag_local.interfaces.tui.library.document_row import Row
from noderag_local.system.printing.amounts import size

STATE_CELLS, SIZE_CELLS, CHANGED_CELLS = 13, 8, 10
DATED_CELLS = 60
"""Minimum width for a column with the day of the last change."""
WIDE_CELLS = 90
"""Minimum width for a column with the folder."""
HEADER_LINES = 1


class DocumentTable(ScrollView, can_focus=True):
    """Shows one document per line, with a cursor and a filter by words."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "document-table--header",
        "document-table--cursor",
        "document-table--muted",
        "document-table--failed",
        "document-table--empty",
    }
    DEFAULT_CSS = """
    DocumentTable {
        height: 1fr;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        & > .document-table--header { text-style: bold; color: $text-muted; }
        & > .document-table--cursor { background: $block-cursor-blurred-background; color: $block-cursor-blurred-foreground; }
        &:focus > .document-table--cursor {
            background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold;
        }
        & > .document-table--muted { color: $text-muted; }
        & > .document-table--failed { color: $text-error; }
        & > .document-table--empty { color: $text-muted; text-style: italic; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open"),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("home,g", "to(0)", "First", show=False),
        Binding("end,G", "to(-1)", "Last", show=False),
    ]

    cursor: reactive[int] = reactive(0)
    """Number of rows that the filter keeps."""

    class Chosen(Message):
        """Posted when a document is opened by enter or a double click."""

        def __init__(self, row: Row) -> None:
            self.row = row
            super().__init__()

    class Highlighted(Message):
        """Posted when the cursor moves to another document; None if there is none."""

        def __init__(self, table: DocumentTable, document: LibraryDocument | None) -> None:
            self.table = table
            self.document = document
            super().__init__()

        @property
        def control(self) -> DocumentTable:
            """Widget that posted the message, for selectors of `@on`."""
            return self.table

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[Row] = []
        self._kept: list[Row] = []
        self._words: list[str] = []
        self._empty = ""

    @property
    def kept(self) -> int:
        """Number of documents that match the filter."""
        return len(self._kept)

    @property
    def highlighted(self) -> LibraryDocument | None:
        """The document under the cursor."""
        return self._kept[self.cursor].document if self.cursor < len(self._kept) else None

    def show(self, rows: Sequence[Row], empty: str) -> None:
        """Shows other documents; the cursor stays on its document if that still exists.

        Args:
            rows: rows in the order to show them.
            empty: text to show if there are no rows.
        """
        self._rows = list(rows)
        self._empty = empty
        self._filter(self.cursor)

    def keep(self, text: str) -> None:
        """Filters the documents: name, folder or state must contain every word of `text`."""
        words = text.casefold().split()
        if words != self._words:
            self._words = words
            self._filter()

    def _filter(self, otherwise: int = 0) -> None:
        """Applies the filter.

        Args:
            otherwise: new position of the cursor if its document is no longer shown.
        """
        before = self.highlighted
        words = self._words
        self._kept = [row for row in self._rows if all(word in row.searched for word in words)] if words else self._rows
        self.virtual_size = Size(0, len(self._kept) + HEADER_LINES)
        place = next((at for at, row in enumerate(self._kept) if _is_same(row.document, before)), None)
        if place is None:
            place = min(otherwise, max(0, len(self._kept) - 1))
        has_moved = place != self.cursor or before is None
        self.set_reactive(DocumentTable.cursor, place)
        self._tell_highlighted()
        # Does not scroll to an unchanged cursor, since the user may have scrolled away with the mouse.
        if has_moved:
            self._scroll_to_cursor()
        self.refresh()

    def validate_cursor(self, place: int) -> int:
        """Limits the cursor to the rows."""
        return max(0, min(place, len(self._kept) - 1))

    def watch_cursor(self) -> None:
        """Scrolls to the cursor."""
        self._tell_highlighted()
        self._scroll_to_cursor()
        self.refresh()

    def _tell_highlighted(self) -> None:
        self.post_message(self.Highlighted(self, self.highlighted))

    def _scroll_to_cursor(self) -> None:
        if self.is_mounted:
            # One more line above, which the header covers.
            line = Region(0, self.cursor, 1, 1 + HEADER_LINES)
            self.scroll_to_region(line, animate=False, force=True, immediate=True, x_axis=False)

    def action_move(self, by: int) -> None:
        """Moves the cursor by lines."""
        self.cursor += by

    def action_choose(self) -> None:
        """Posts `Chosen` for the document under the cursor."""
        if self.cursor < len(self._kept):
            self.post_message(self.Chosen(self._kept[self.cursor]))

    def action_page(self, by: int) -> None:
        """Moves the cursor by pages."""
        self.cursor += by * max(1, self.size.height - HEADER_LINES - 1)

    def action_to(self, place: int) -> None:
        """Moves the cursor to a row; a negative number counts from the end."""
        self.cursor = place if place >= 0 else len(self._kept) + place

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor; a double click opens the document."""
        line = event.y - HEADER_LINES
        if line < 0:
            return
        self.cursor = line + self.scroll_offset.y
        if event.chain == 2:
            self.action_choose()

    def render_line(self, y: int) -> Strip:
        """Returns one visible line: the header, or a row below it."""
        if y < HEADER_LINES:
            name = f"Name: {self.kept:,} of {len(self._rows):,} match" if self._words else "Name"
            return self._strip(self._cells("State", name, "Folder", "Size", "Changed"), "header")
        place = self.scroll_offset.y + y - HEADER_LINES
        if place >= len(self._kept):
            text = f" {self._empty}" if not self._rows else " Nothing fits the filter."
            return self._strip([(text, "empty")] if place == 0 else [], "")
        return self._row(self._kept[place], place == self.cursor)

    def _row(self, row: Row, is_cursor: bool) -> Strip:
        document = row.document
        changed = (
            datetime.fromtimestamp(document.modified_ns / 1e9).strftime("%Y-%m-%d") if document.modified_ns else ""
        )
        # Records have no size of their own that would mean anything to the user.
        amount = size(document.file_size_bytes) if document.modified_ns and document.of_records == 1 else ""
        cells = self._cells(row.state, row.name, row.folder, amount, changed)
        if is_cursor:
            return self._strip(cells, "cursor")
        if document.state is DocumentState.FAILED:
            return self._strip(cells, "failed")
        return self._strip(cells, "")

    def _cells(self, state: str, name: str, folder: str, amount: str, changed: str) -> list[tuple[str, str]]:
        """Returns the cells of a line as (text, class), which together fill the width of the table."""
        width = self.scrollable_content_region.width
        last = f" {amount:>{SIZE_CELLS}} "
        if width >= DATED_CELLS:
            last += f" {changed:<{CHANGED_CELLS}} "
        left = max(8, width - STATE_CELLS - len(last))
        cells = [(set_cell_size(f" {state}", STATE_CELLS), "")]
        if width >= WIDE_CELLS:
            name_cells = left * 3 // 5
            cells.append((_fitted(name, name_cells), ""))
            cells.append((" " + _fitted(folder, left - name_cells - 1), "muted"))
        else:
            cells.append((_fitted(name, left), ""))
        cells.append((last, "muted"))
        return cells

    def _strip(self, cells: Sequence[tuple[str, str]], whole: str) -> Strip:
        """Returns one line.

        Args:
            cells: (text, class) of each cell.
            whole: class of all cells; "" keeps each cell's own.
        """
        plain = self._style(whole)
        segments = [Segment(text, plain if whole or not own else self._style(own)) for text, own in cells]
        return Strip(segments).adjust_cell_length(self.scrollable_content_region.width, plain)

    def _style(self, name: str) -> Style:
        style = self.get_visual_style(f"document-table--{name}") if name else self.get_visual_style()
        return style.rich_style


def _fitted(text: str, cells: int) -> str:
    """Returns a text of exactly this width, cut with an ellipsis or padded."""
    if cell_len(text) > cells:
        return set_cell_size(text, max(0, cells - 1)) + "…"
    return set_cell_size(text, cells)


def _is_same(first: LibraryDocument, second: LibraryDocument | None) -> bool:
    return second is not None and (first.path, first.record) == (second.path, second.record)
