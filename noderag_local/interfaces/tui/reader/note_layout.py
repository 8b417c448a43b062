"""Breaks the lines of a note into rows of a width, and knows at which row each line begins."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from rich.cells import cell_len, get_character_cell_size

from noderag_local.interfaces.tui.reader.note_lines import NoteLines
from noderag_local.interfaces.tui.reader.shown_line import ShownLine

KEPT_LINES = 1024
MEASURED_EXACTLY = 20_000
"""Lines of a note that are all read for their marks; of a longer one only those that are seen."""
PREFIX_CELLS = 8
"""Cells that the rows of a longer note leave free for a bullet or the bars of a table."""
NARROWEST = 8
"""Cells that a row has for its text at least, however wide what stands before it."""

Rows = list[tuple[int, int]]
"""Start and end of each row in the text of a line."""


class NoteLayout:
    """The rows of a note in one width; they never change."""

    def __init__(self, lines: NoteLines, cells: int) -> None:
        """Measures every line; of a very long note, its rows with their marks, which are at least as many.

        Args:
            lines: lines of the note.
            cells: width of a row.
        """
        self.lines = lines
        self.cells = max(cells, NARROWEST)
        counts = np.ones(len(lines), np.int64)
        is_long = len(lines) > MEASURED_EXACTLY
        for number in range(len(lines)):
            if lines.is_longer(number, self.cells):
                counts[number] = self._most_rows(number) if is_long else len(self._broken(lines.line(number)))
        self._starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        self.rows_of = lru_cache(KEPT_LINES)(self._rows_of)

    @property
    def height(self) -> int:
        """Number of rows of all lines."""
        return int(self._starts[-1])

    def first_row(self, line: int) -> int:
        """Returns the row at which a line begins."""
        return int(self._starts[min(line, len(self.lines))])

    def place_of(self, row: int) -> tuple[int, int]:
        """Returns the line that a row belongs to, and which of its rows it is."""
        line = int(np.searchsorted(self._starts, row, side="right")) - 1
        return line, row - int(self._starts[line])

    def _most_rows(self, number: int) -> int:
        written = self.lines.text.lines[number]
        indent = len(written) - len(written.lstrip(" >"))
        return len(broken(written, max(NARROWEST, self.cells - PREFIX_CELLS - 2 * indent)))

    def _rows_of(self, number: int) -> Rows:
        return self._broken(self.lines.line(number))

    def _broken(self, line: ShownLine) -> Rows:
        return broken(line.text, max(NARROWEST, self.cells - cell_len(line.prefix)))


def broken(text: str, cells: int) -> Rows:
    """Breaks a text at blanks into rows of at most so many cells; a longer word is cut."""
    return _broken_narrow(text, cells) if text.isascii() else _broken_wide(text, cells)


def _broken_narrow(text: str, cells: int) -> Rows:
    rows: Rows = []
    at = 0
    while len(text) - at > cells:
        cut = text.rfind(" ", at + 1, at + cells + 1)
        end = cut if cut > at else at + cells
        rows.append((at, end))
        at = end + (cut > at)
    rows.append((at, len(text)))
    return rows


def _broken_wide(text: str, cells: int) -> Rows:
    rows: Rows = []
    start, blank, used = 0, -1, 0
    for place, sign in enumerate(text):
        width = get_character_cell_size(sign)
        if used + width > cells and place > start:
            end = blank if blank > start else place
            rows.append((start, end))
            start = end + (blank > start)
            used = sum(map(get_character_cell_size, text[start:place]))
            blank = -1
        if sign == " ":
            blank = place
        used += width
    rows.append((start, len(text)))
    return rows
