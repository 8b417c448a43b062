"""Reads OpenDocument spreadsheets (.ods): each row becomes a statement with its column names. The place is "sheet Costs, row 12".

Cells are read as they are shown, dates as 2024-05-03. Comments on cells are left out.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import iterparse

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, own_title
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.office.opendocument import (
    COLUMNS_REPEATED,
    MAX_REPEATED,
    NAMESPACE,
    OFFICE,
    TABLE,
    opened_archive,
    repeats,
    text_of_element,
    title_of,
)
from noderag_local.ingest.formats.office.sheet_rows import MAX_ROWS, Row, read_up_to, write_sheet
from noderag_local.ingest.formats.untrusted_xml import xml_errors_told

MAX_COLUMNS = 1024
"""Maximum number of cells that are read of a row. Spreadsheets end a row with an empty cell that is repeated up to the last column."""

_ROWS_REPEATED = f"{TABLE}number-rows-repeated"
_SHEET, _ROW = f"{TABLE}table", f"{TABLE}table-row"
_CELLS = frozenset({f"{TABLE}table-cell", f"{TABLE}covered-table-cell"})
_DATE = f"{OFFICE}date-value"
_PARAGRAPH = f"{NAMESPACE.format('text')}p"
_SPREADSHEET = f"{OFFICE}spreadsheet"


class _Sheets:
    """Reads the sheets of a workbook one row at a time, because a tree of it would take ten times its size in memory."""

    def __init__(self, content: bytes) -> None:
        self._steps = iterparse(io.BytesIO(content), events=("start", "end"))
        self._rows_left = MAX_ROWS
        self.is_workbook = False
        self.notices: list[str] = []

    def write(self, writer: BlockWriter) -> None:
        """Writes all sheets."""
        for event, element in self._steps:
            if event == "start" and element.tag == _SPREADSHEET:
                self.is_workbook = True
            elif event == "start" and element.tag == _SHEET and self.is_workbook:
                name = element.get(f"{TABLE}name", "")
                write_sheet(name, self._rows(name, element), writer)

    def _rows(self, name: str, sheet: Element) -> Iterator[Row]:
        """Yields the non-empty rows of the sheet that was entered, up to its end."""
        number = 1
        for event, element in self._steps:
            if element is sheet:
                return
            if event == "start" or element.tag != _ROW:
                continue
            cells, times = _cells(element), repeats(element, _ROWS_REPEATED)
            element.clear()
            for at in range(number, number + min(times, MAX_REPEATED) if cells else number):
                if self._rows_left:
                    self._rows_left -= 1
                    yield at, cells
                elif not any(notice.startswith(f"sheet {name} ") for notice in self.notices):
                    self.notices.append(read_up_to(name, at - 1))
            number += times


def _cells(row: Element) -> list[str]:
    """Returns the cells of a row as they are shown, without empty cells at the end."""
    cells: list[str] = []
    for cell in row:
        if cell.tag not in _CELLS or len(cells) >= MAX_COLUMNS:
            continue
        shown = _shown(cell)
        # Repeated empty cells are kept, so that later cells stay below their column names.
        times = repeats(cell, COLUMNS_REPEATED)
        cells += [shown] * min(times, MAX_REPEATED if shown else MAX_COLUMNS)
    while cells and not cells[-1]:
        cells.pop()
    return cells[:MAX_COLUMNS]


def _shown(cell: Element) -> str:
    """Returns a cell as it is shown; a date as 2024-05-03 or 2024-05-03 14:30."""
    date = cell.get(_DATE, "")
    if date:
        day, _, moment = date.partition("T")
        return f"{day} {moment[:5]}" if moment and moment[:5] != "00:00" else day
    return " ".join(text_of_element(part, []).strip() for part in cell if part.tag == _PARAGRAPH)


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    archive = opened_archive(file)
    writer = BlockWriter()
    writer.title = own_title(title_of(archive), name)
    sheets = _Sheets(archive.read("content.xml"))
    with xml_errors_told("content.xml"):
        sheets.write(writer)
    if not sheets.is_workbook:
        raise DocumentError("it is damaged or not an OpenDocument spreadsheet: it has no sheets")
    yield ExtractedDocument(writer.title, tuple(writer.blocks), notices=tuple(sheets.notices))


EXTRACTOR = Extractor(_read)
