"""Tables as plain text (.csv, .tsv): each row is a statement with the names of its columns.

Banks and other programs write lines about the whole table above it, such as the number of an account. These are read as
names and values.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.office.tabular import stated_rows

DELIMITERS = "\t;,|"
"""In the order in which they win where two part the rows equally well."""
SAMPLE_LINES = 50
MAX_CELL_CHARACTERS = 1 << 20
MOST_CELLS_ABOVE = 2
"""Most cells of a row above the table; rows of more cells belong to a table."""
LEAST_NARROWER = 2
"""Columns by which rows above the table are narrower at least; otherwise a cell may be missing, or a comma unquoted."""

_NAMED_DELIMITER = re.compile(r"\"?sep=(?P<delimiter>[^\n\"])\"?(?=\n|\Z)", re.IGNORECASE)
"""First line of a file for Excel; no program shows it."""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = text_of(file)
    named = _NAMED_DELIMITER.match(text)
    if named:
        text, delimiter = text[named.end() :], named["delimiter"]
    else:
        delimiter = "\t" if name.lower().endswith((".tsv", ".tab")) else _delimiter(text)
    places, rows = [], []
    for first, last, row in _rows(text, delimiter):
        places.append(Whereabouts(first_line=first, last_line=last))
        rows.append(row)
    begin = _begin_of_table(rows)
    writer = BlockWriter()
    for position, statement in stated_rows(rows[:begin], has_header=False):
        writer.add(BlockKind.PARAGRAPH, statement, places[position])
    for position, statement in stated_rows(rows[begin:]):
        writer.add(BlockKind.TABLE_ROW, statement, places[begin + position])
    yield ExtractedDocument("", tuple(writer.blocks))


def _begin_of_table(rows: Sequence[Sequence[str]]) -> int:
    """Returns the position of the first row that is as wide as the table; 0 if a row above it is no name with its value."""
    widths = Counter(_width(row) for row in rows[:SAMPLE_LINES])
    cells = {width: width * count for width, count in widths.items() if width > 1 and count > 1}
    if not cells:
        return 0
    width = max(cells, key=lambda one: cells[one])
    begin = next((at for at, row in enumerate(rows) if _width(row) >= width), 0)
    widest = min(MOST_CELLS_ABOVE, width - LEAST_NARROWER)
    return begin if all(_width(row) <= widest for row in rows[:begin]) else 0


def _width(row: Sequence[str]) -> int:
    """Returns the number of cells up to the last one that is filled."""
    return max((at for at, cell in enumerate(row, 1) if cell.strip()), default=0)


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yields (first line, last line, cells) of each row; a quoted cell may span many lines."""
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    first = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield first, reader.line_num, row
            first = reader.line_num + 1
    except csv.Error as error:
        raise DocumentError(f"its line {reader.line_num + 1} is no row of a table ({error})") from error


def _delimiter(text: str) -> str:
    """Returns the delimiter that splits most rows of the beginning into the same number of cells, more than one.

    The standard library's Sniffer takes letters for delimiters where the cells are prose.
    """
    sample = "".join(io.StringIO(text[: MAX_CELL_CHARACTERS // 4]).readlines()[:SAMPLE_LINES])
    best, best_share = ",", 0.0
    for delimiter in DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(sample), delimiter=delimiter) if row]
        except csv.Error:
            continue
        alike = max((widths.count(width) for width in set(widths) if width > 1), default=0)
        if alike > best_share * len(widths):
            best, best_share = delimiter, alike / len(widths)
    return best


EXTRACTOR = Extractor(_read)
