"""Writes the rows of a sheet as blocks: each is a statement with its column names. The place is "sheet Costs, row 12".

An empty row ends a table.
"""

from __future__ import annotations

from collections.abc import Iterable

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts
from noderag_local.ingest.formats.office.tabular import stated_rows

MAX_ROWS = 100_000
"""Maximum number of rows of a workbook, including empty ones; further rows are left out, with a notice."""

_SHEET_LEVEL = 2
"""Heading level of a sheet's name: one below the title, because "Sheet1" is no title."""

Row = tuple[int, list[str]]
"""(row number in the sheet, from 1; cells as they are shown)"""


def write_sheet(name: str, rows: Iterable[Row], writer: BlockWriter) -> None:
    """Writes a sheet under its name; writes nothing if all cells are empty.

    Args:
        name: name of the sheet.
        rows: its rows in order; missing numbers are empty rows.
        writer: takes the blocks.
    """
    folded = " ".join(name.split())
    table: list[Row] = []
    headed = False
    for row in rows:
        if table and (not any(row[1]) or row[0] > table[-1][0] + 1):
            _write_table(folded, table, writer)
            table = []
        if any(row[1]):
            if not headed:
                writer.heading(_SHEET_LEVEL, folded, Whereabouts(f"sheet {folded}"))
                headed = True
            table.append(row)
    _write_table(folded, table, writer)


def read_up_to(name: str, row: int) -> str:
    """Returns the notice that all later rows of a sheet are left out."""
    return f"sheet {name} is read up to row {row:,}; split it to have the rest read"


def _write_table(sheet: str, table: list[Row], writer: BlockWriter) -> None:
    """Writes rows that have no empty row between them; a row with a single value, alone or above a wider row, is a caption."""
    captions = 0
    while (
        captions < len(table)
        and _filled(table[captions]) == 1
        and (captions + 1 == len(table) or _filled(table[captions + 1]) > 1)
    ):
        captions += 1
    for number, cells in table[:captions]:
        writer.add(BlockKind.PARAGRAPH, " ".join(cells), Whereabouts(f"sheet {sheet}, row {number}"))
    body = table[captions:]
    for position, statement in stated_rows(_without_empty_columns([cells for _, cells in body])):
        writer.add(BlockKind.TABLE_ROW, statement, Whereabouts(f"sheet {sheet}, row {body[position][0]}"))


def _filled(row: Row) -> int:
    return sum(bool(cell) for cell in row[1])


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    used = sorted({column for row in rows for column, cell in enumerate(row) if cell})
    return [[row[column] if column < len(row) else "" for column in used] for row in rows]
