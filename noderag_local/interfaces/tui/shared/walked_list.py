"""A list that is walked along while a field above it has the focus."""

from __future__ import annotations

from textual.widgets import OptionList


class WalkedList(OptionList, can_focus=False):
    """Its owner has the keys, and calls `walk`."""

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
        """Moves the cursor by so many rows, to an end at most; the first step leads to the first row."""
        if self.option_count:
            at = -1 if self.highlighted is None else self.highlighted
            self.highlighted = min(max(at + rows, 0), self.option_count - 1)
