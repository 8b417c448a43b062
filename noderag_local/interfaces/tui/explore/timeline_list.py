"""The list of dated sentences by date; their texts are fetched when they become visible."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING

from textual.message import Message

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.reader.navigation import NavigationStep
from noderag_local.interfaces.tui.shared.line_list import LineList, fitted, one_line
from noderag_local.system.printing.cited_place import named

if TYPE_CHECKING:
    from noderag_local.vault.browsing.timeline import Moment, Timeline

BLOCK = 100
"""Number of rows that are fetched together."""
DATE_CELLS = 13
FILE_CELLS = 22
WITH_FILE = 70
"""Minimum width in cells for a column with the file name."""
EMPTY = "No dates with a year were found in the notes."


class TimelineList(LineList):
    """Shows each sentence's date, text and file."""

    class Wanted(Message):
        """Posted when rows without texts become visible; `fill` answers it."""

        def __init__(self, timeline: Timeline, rows: range) -> None:
            self.timeline = timeline
            self.rows = rows
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, empty=EMPTY)
        self.timeline: Timeline | None = None
        self._moments: dict[int, Moment] = {}
        self._asked: set[int] = set()
        """Blocks of rows that were requested."""

    def show(self, timeline: Timeline) -> None:
        """Shows the timeline of a changed vault; the cursor stays at its date, and begins at today, in the middle."""
        before = self.timeline.rows[self.cursor] if self.timeline and self.timeline.rows else None
        self.timeline = timeline
        self._moments, self._asked = {}, set()
        if before is not None:
            self.show_again(len(timeline), timeline.row_near(before))
            return
        self.show_rows(len(timeline), timeline.row_from(date.today().isoformat()) or 0)
        self.call_after_refresh(self._center)

    def _center(self) -> None:
        self.scroll_to(y=max(0, self.cursor - self.size.height // 2), animate=False, force=True)

    def go_to(self, typed: str) -> None:
        """Moves the cursor to a date as the user types it; other text does not move it."""
        row = self.timeline.row_from(typed) if self.timeline else None
        if row is not None:
            self.cursor = row

    def fill(self, timeline: Timeline, moments: dict[int, Moment]) -> None:
        """Fills in the texts of rows, if they still belong to this timeline."""
        if timeline is self.timeline:
            self._moments |= moments
            self.refresh()
            if self.cursor in moments:
                # The page beside the list, which could only be that of the date until now, becomes the note.
                self.post_message(self.Highlighted(self, self.cursor))

    def step_of(self, row: int) -> NavigationStep:
        """Returns the page of a row's date."""
        assert self.timeline is not None
        dated = self.timeline.rows[row]
        return NavigationStep(NodeType.ENTITY, dated.entity, dated.label)

    def source_of(self, row: int) -> Source | None:
        """Returns the source of a row; None until it is fetched, or if it no longer exists."""
        moment = self._moments.get(row)
        return moment.source if moment else None

    def cells(self, row: int, width: int) -> Sequence[tuple[str, str]]:
        """Returns the text of a row: only the date until its sentence is fetched."""
        assert self.timeline is not None
        label = fitted(f" {one_line(self.timeline.rows[row].label)}", DATE_CELLS)
        moment = self._moments.get(row)
        if moment is None:
            self._ask_for(row)
            return [(label, ""), (fitted("…", width - DATE_CELLS), "muted")]
        if width < WITH_FILE:
            return [(label, ""), (fitted(one_line(moment.source.text), width - DATE_CELLS), "")]
        text = fitted(one_line(moment.source.text), width - DATE_CELLS - FILE_CELLS - 1)
        source = moment.source
        place = one_line(named(PurePath(source.path).name, source.first_line, source.place))
        return [(label, ""), (text, ""), (" " + fitted(place, FILE_CELLS), "muted")]

    def _ask_for(self, row: int) -> None:
        block = row // BLOCK
        if block not in self._asked and self.timeline is not None:
            self._asked.add(block)
            self.post_message(self.Wanted(self.timeline, range(block * BLOCK, (block + 1) * BLOCK)))
