"""Reads the cells of a table of a web page, and tells whether its first row names the columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from noderag_local.ingest.formats.block_writer import folded_text
from noderag_local.ingest.formats.markup.html_content import Side, walk
from noderag_local.ingest.formats.office.tabular import may_have_header

MAX_CELL_CHARACTERS = 500
"""A table with longer cells is there for the layout, and its cells are paragraphs."""
MAX_COLUMNS_SPANNED = 100
MAX_ROWS_SPANNED = 1000
MAX_COLUMNS_REPEATED = 50
"""Columns in which a cell of several rows is repeated; those further right are empty below it."""
MAX_REPEATED_CHARACTERS = 1 << 20
"""Characters of a table that are repeated; beyond them, a cell of several rows stands in its first row only."""


@dataclass(frozen=True, slots=True)
class DataTable:
    """Cells of a table, row by row."""

    rows: list[list[str]] = field(default_factory=list)
    has_header: bool = False
    """Whether the first row may name the columns; otherwise the first cell of each row names those beside it."""


class _Grid:
    """Rows of cells. A cell that covers several rows or columns stands in the first column, in each of its rows."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.nodes: list[LexborNode] = []
        """Elements of the rows."""
        self._from_above: dict[int, tuple[int, str]] = {}
        """Column → number of rows that a cell still covers, and its text."""
        self._covers: dict[int, tuple[int, str]] = {}
        self._repeated = 0

    def begin_row(self, node: LexborNode) -> None:
        self.end_row()
        self.rows.append([])
        self.nodes.append(node)

    def add(self, text: str, cell: LexborNode) -> None:
        self._repeat()
        rows = _span(cell, "rowspan", MAX_ROWS_SPANNED)
        for part in (text, *[""] * (_span(cell, "colspan", MAX_COLUMNS_SPANNED) - 1)):
            column = len(self.rows[-1])
            if rows > 1 and column < MAX_COLUMNS_REPEATED:
                self._covers[column] = (rows, part)
            self.rows[-1].append(part)

    def end_row(self) -> None:
        """Completes the row with the cells that reach down to it; a row that has no others stays empty."""
        if self.rows and self.rows[-1]:
            self._repeat()
        covering = {**self._from_above, **self._covers}
        self._from_above = {column: (left - 1, text) for column, (left, text) in covering.items() if left > 1}
        self._covers = {}

    def end_group(self) -> None:
        """Ends the head, body or foot of a table, beyond which no cell reaches."""
        self.end_row()
        self._from_above = {}

    def _repeat(self) -> None:
        row = self.rows[-1]
        while len(row) in self._from_above:
            text = self._from_above[len(row)][1]
            self._repeated += len(text)
            row.append(text if self._repeated <= MAX_REPEATED_CHARACTERS else "")


def data_table(table: LexborNode, block_tags: frozenset[str], left_out: frozenset[int]) -> DataTable:
    """Returns the cells of a table of data; no rows for a table that only arranges the page.

    Args:
        table: the element.
        block_tags: tags of elements that begin a new line in a cell.
        left_out: `mem_id` of the elements that are no text.
    """
    grid = _Grid()
    cell: list[str] | None = None
    for step in walk(table, left_out):
        node, tag = step.node, step.node.tag or ""
        if step.side is Side.TEXT and cell is not None:
            cell.append(node.text_content or "")
        elif step.side is Side.ENTER and tag == "table" and node.mem_id != table.mem_id:
            return DataTable()
        elif step.side is Side.ENTER and tag == "tr":
            grid.begin_row(node)
        elif tag in ("thead", "tbody", "tfoot"):
            grid.end_group()
        elif tag in ("td", "th"):
            if step.side is Side.ENTER:
                cell = []
            elif cell is not None and grid.rows:
                grid.add(folded_text("".join(cell)), node)
                cell = None
        elif cell is not None and (tag in block_tags or tag == "br"):
            cell.append(" ")
    first = next((node for node, row in zip(grid.nodes, grid.rows, strict=True) if any(row)), None)
    rows = [row for row in grid.rows if any(row)]
    longest = max((len(text) for row in rows for text in row), default=0)
    is_data = first is not None and sum(len(row) > 1 for row in rows) > 1 and longest <= MAX_CELL_CHARACTERS
    return DataTable(rows, _has_header(first, rows)) if is_data and first else DataTable()


def _has_header(first: LexborNode, rows: list[list[str]]) -> bool:
    """Whether the first row may name the columns: its place or its cells say so, or nothing in it says otherwise."""
    if first.parent is not None and first.parent.tag == "thead":
        return True
    cells = [cell for cell in first.iter() if cell.tag in ("td", "th")]
    if any(cell.tag == "th" for cell in cells):
        return any(cell.tag == "th" for cell in cells[1:])
    return may_have_header(rows, is_marked=all(map(_is_bold, cells)))


def _is_bold(cell: LexborNode) -> bool:
    depth = 0
    for step in walk(cell, frozenset()):
        if step.side is Side.TEXT:
            if not depth and (step.node.text_content or "").strip():
                return False
        elif step.node.tag in ("b", "strong"):
            depth += 1 if step.side is Side.ENTER else -1
    return True


def _span(cell: LexborNode, attribute: str, most: int) -> int:
    given = cell.attributes.get(attribute) or ""
    return min(int(given), most) if given.isdecimal() and 0 < len(given) < 10 and int(given) else 1
