"""Option lists that textual lacks: with rows made for their width, or with a cursor that moves without the focus."""

from __future__ import annotations

from textual.message import Message
from textual.widgets import OptionList


class ChoiceList(OptionList):
    """An option list that posts `WidthChanged`, so that its rows can be made again for the new width."""

    class WidthChanged(Message):
        """Posted when the width of the list has changed."""

    def __init__(self) -> None:
        super().__init__(id="list")
        self._laid_out_cells = 0

    @property
    def row_cells(self) -> int:
        """Width of a row in cells."""
        return self.scrollable_content_region.width

    def on_resize(self) -> None:
        """Posts `WidthChanged` if the list's own width has changed, which happens after the screen's."""
        if self.row_cells != self._laid_out_cells:
            self._laid_out_cells = self.row_cells
            self.post_message(self.WidthChanged())


class UnfocusedList(OptionList, can_focus=False):
    """A list without focus; the widget that handles the keys calls `move_highlight`."""

    DEFAULT_CSS = """
    UnfocusedList {
        border: none;
        background: $surface;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        & > .option-list--option-highlighted {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
        }
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def move_highlight(self, rows: int) -> None:
        """Moves the cursor by a number of rows, at most to either end; the first move goes to the first row."""
        if self.option_count:
            at = -1 if self.highlighted is None else self.highlighted
            self.highlighted = min(max(at + rows, 0), self.option_count - 1)
