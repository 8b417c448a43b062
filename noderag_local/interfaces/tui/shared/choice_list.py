"""A list whose rows are filled up to its width, and which tells when that width is another."""

from __future__ import annotations

from textual.message import Message
from textual.widgets import OptionList


class ChoiceList(OptionList):
    """An option list that posts `WidthChanged`, so that its rows can be made again for the new width."""

    class WidthChanged(Message):
        """Posted when the list is laid out with another width."""

    def __init__(self) -> None:
        super().__init__(id="list")
        self._laid_out_cells = 0

    @property
    def row_cells(self) -> int:
        """Width of a row in cells."""
        return self.scrollable_content_region.width

    def on_resize(self) -> None:
        """Its own width counts and not the screen's: a screen is laid out again after its break points are known."""
        if self.row_cells != self._laid_out_cells:
            self._laid_out_cells = self.row_cells
            self.post_message(self.WidthChanged())
