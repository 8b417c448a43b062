"""A list whose cursor moves while a field above it has the focus."""

from __future__ import annotations

from textual.widgets import OptionList


class WalkedList(OptionList, can_focus=False):
    """A list without focus; the widget that handles the keys calls `walk`."""

    DEFAULT_CSS = """
    WalkedList {
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

    def walk(self, rows: int) -> None:
        """Moves the cursor by a number of rows, at most to either end; the first move goes to the first row."""
        if self.option_count:
            at = -1 if self.highlighted is None else self.highlighted
            self.highlighted = min(max(at + rows, 0), self.option_count - 1)
