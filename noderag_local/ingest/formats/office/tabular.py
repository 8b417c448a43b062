"""Rows of a table as statements that say what each value is, so that a row can be read without the head of its table.

Spreadsheets, tables with commas and the tables of text documents all come through here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MAX_HEADER_CHARACTERS = 80
"""A longer cell is prose, and no name of a column."""

_VALUE = re.compile(r"[\W_]*\d[\d\s.,:;/%+\-–€$£TZ]*\W*")


def statements(header: Sequence[str], row: Sequence[str]) -> str:
    """Returns a row with the name of its column before each value: "Name: Jonas; Amount: 12".

    Args:
        header: names of the columns, left to right; () where the table has none. A nameless column is "".
        row: its cells, left to right; longer or shorter than the header. Empty cells are left out.

    Returns:
        "" where every cell is empty.
    """
    named = []
    for column, cell in enumerate(row):
        value = " ".join(cell.split())
        name = " ".join(header[column].split()).rstrip(":") if column < len(header) else ""
        if value:
            named.append(f"{name}: {value}" if name and name != value else value)
    return "; ".join(named)


def is_header(row: Sequence[str]) -> bool:
    """Whether the first row of a table names its columns: at least two short names, each once, none of them a number.

    Only cells at the right end may be empty, and the one in the upper left corner.
    """
    cells = [" ".join(cell.split()) for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    names = [cell for cell in cells if cell]
    return (
        len(cells) > 1
        and all(cells[1:])
        and len(set(names)) == len(names)
        and all(len(name) <= MAX_HEADER_CHARACTERS and not _VALUE.fullmatch(name) for name in names)
    )


def stated_rows(rows: Sequence[Sequence[str]]) -> Iterator[tuple[int, str]]:
    """Yields the rows of one table as statements.

    Args:
        rows: its cells, as a person sees them; the first is taken as header where it looks like one.

    Yields:
        (0-based position in `rows`, statement) of each row that says something. A header is not among them, unless
        it is all there is.
    """
    header = rows[0] if len(rows) > 1 and is_header(rows[0]) else ()
    for position, row in enumerate(rows):
        statement = "" if header and position == 0 else statements(header, row)
        if statement:
            yield position, statement
