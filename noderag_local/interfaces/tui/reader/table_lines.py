"""Lays out the rows of a table in a note, with its columns below one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from noderag_local.interfaces.tui.reader.shown_line import LineLink, Span

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.reader.inline_styles import InlineText

WIDEST = 40
"""Cells of a column that are aligned; longer texts push the next column away."""
BETWEEN = " │ "
_HELD = "\x00"
"""Stands for a bar that is part of a cell; notes that are shown have no such character."""


def is_below_head(written: str) -> bool:
    """Returns whether a row is the line of dashes below the head of a table."""
    return not written.strip(" |-:") and "-" in written


def cells_of(written: str) -> list[str]:
    """Returns the texts of a row's cells; a bar after a backslash is none between two cells."""
    row = written.strip().replace("\\|", _HELD)
    inner = row.removeprefix("|").removesuffix("|")
    return [cell.strip().replace(_HELD, "\\|") for cell in inner.split("|")]


def column_widths(rows: Sequence[Sequence[InlineText]]) -> tuple[int, ...]:
    """Returns the cells that each column is wide, at most WIDEST."""
    columns = max(map(len, rows), default=0)
    widths = [0] * columns
    for row in rows:
        for column, cell in enumerate(row):
            widths[column] = max(widths[column], min(cell_len(cell.text), WIDEST))
    return tuple(widths)


def table_line(
    cells: Sequence[InlineText], widths: Sequence[int]
) -> tuple[str, tuple[Span, ...], tuple[LineLink, ...]]:
    """Returns the text of a row with its styles and links."""
    text = ""
    spans: list[Span] = []
    links: list[LineLink] = []
    for column, cell in enumerate(cells):
        if column:
            text += BETWEEN
        at = len(text)
        spans += (Span(at + span.start, at + span.end, span.style) for span in cell.spans)
        links += (LineLink(at + link.start, at + link.end, link.target) for link in cell.links)
        is_last = column == len(cells) - 1
        text += cell.text if is_last else cell.text + " " * max(0, widths[column] - cell_len(cell.text))
    return text, tuple(spans), tuple(links)
