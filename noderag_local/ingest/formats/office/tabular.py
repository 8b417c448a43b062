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


def may_have_header(rows: Sequence[Sequence[str]], *, is_marked: bool) -> bool:
    """Whether the first row of a table may name its columns, in a format that can mark such a row.

    Two columns without a mark are mostly names and their values, as in a form: "Name | Jane Doe", "Phone | 555 0101". Not where most
    rows begin with a number or a day, which name nothing: "Date | Amount", "2024-05-01 | 12".

    Args:
        rows: cells of the table.
        is_marked: whether the first row is marked.
    """
    if is_marked or max(map(len, rows), default=0) != 2:
        return True
    begins_with_value = [bool(row) and _VALUE.fullmatch(row[0].strip()) is not None for row in rows]
    return not any(map(_VALUE.fullmatch, rows[0])) and 2 * sum(begins_with_value[1:]) > len(rows) - 1


def stated_rows(rows: Sequence[Sequence[str]], *, has_header: bool = True) -> Iterator[tuple[int, str]]:
    """Yields the rows of one table as statements.

    Args:
        rows: its cells, as a person sees them.
        has_header: whether the first row is taken as header if it looks like one; otherwise the first cell of each row
            names those beside it.

    Yields:
        (0-based position in `rows`, statement) of each row that says something. A header is not among them, unless
        it is all there is.
    """
    header = rows[0] if has_header and len(rows) > 1 and is_header(rows[0]) else ()
    for position, row in enumerate(rows):
        if header:
            statement = statements(header, row) if position else ""
        else:
            statement = statements((), row) if has_header else _named_by_first(row)
        if statement:
            yield position, statement


def _named_by_first(row: Sequence[str]) -> str:
    """Returns a row as "Name: Jane Doe"; a number or a long text names nothing."""
    name, beside = " ".join(row[0].split()).rstrip(":") if row else "", statements((), row[1:])
    is_name = name and beside and len(name) <= MAX_HEADER_CHARACTERS and not _VALUE.fullmatch(name)
    return f"{name}: {beside}" if is_name else statements((), row)
