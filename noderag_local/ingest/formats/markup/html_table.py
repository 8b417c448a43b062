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


@dataclass(slots=True)
class DataTable:
    """Cells of a table, row by row."""

    rows: list[list[str]] = field(default_factory=list)
    has_header: bool = False
    """Whether the first row may name the columns; otherwise the first cell of each row names those beside it."""


def data_table(table: LexborNode, block_tags: frozenset[str], left_out: frozenset[int]) -> DataTable:
    """Returns the cells of a table of data; no rows for a table that only arranges the page.

    Args:
        table: the element.
        block_tags: tags of elements that begin a new line in a cell.
        left_out: `mem_id` of the elements that are no text.
    """
    rows: list[list[str]] = []
    row_nodes: list[LexborNode] = []
    cell: list[str] | None = None
    for step in walk(table, left_out):
        node, tag = step.node, step.node.tag or ""
        if step.side is Side.TEXT and cell is not None:
            cell.append(node.text_content or "")
        elif step.side is Side.ENTER and tag == "table" and node.mem_id != table.mem_id:
            return DataTable()
        elif step.side is Side.ENTER and tag == "tr":
            rows.append([])
            row_nodes.append(node)
        elif tag in ("td", "th"):
            if step.side is Side.ENTER:
                cell = []
            elif cell is not None and rows:
                rows[-1] += [folded_text("".join(cell)), *[""] * (_span(node) - 1)]
                cell = None
        elif cell is not None and (tag in block_tags or tag == "br"):
            cell.append(" ")
    first = next((node for node, row in zip(row_nodes, rows, strict=True) if any(row)), None)
    rows = [row for row in rows if any(row)]
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
    return folded_text("".join(part.text() for part in cell.css("b, strong"))) == folded_text(cell.text())


def _span(cell: LexborNode) -> int:
    given = cell.attributes.get("colspan") or ""
    return min(int(given), MAX_COLUMNS_SPANNED) if given.isdecimal() and int(given) else 1
