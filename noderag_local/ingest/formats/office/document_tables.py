"""Tables as plain text (.csv, .tsv): each row is a statement with the names of its columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
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


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    text = text_of(file)
    delimiter = "\t" if name.lower().endswith((".tsv", ".tab")) else _delimiter(text)
    places, rows = [], []
    for first, last, row in _rows(text, delimiter):
        places.append((first, last))
        rows.append(row)
    writer = BlockWriter()
    for position, statement in stated_rows(rows):
        first, last = places[position]
        writer.add(BlockKind.TABLE_ROW, statement, Whereabouts(first_line=first, last_line=last))
    yield ExtractedDocument("", tuple(writer.blocks))


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
