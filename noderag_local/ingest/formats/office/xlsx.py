"""Reads Excel workbooks (.xlsx): each row becomes a statement with its column names. The place is "sheet Costs, row 12".

Formulas are read as the values that the spreadsheet program saved with them.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any, BinaryIO

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.block_writer import BlockWriter, own_title
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.office.open_xml import checked_copy, is_locked_office_file
from noderag_local.ingest.formats.office.sheet_rows import MAX_ROWS, Row, read_up_to, write_sheet

_GENERAL_DIGITS = 11
"""Digits of a number that a cell without a format shows."""
_MAX_PATTERN = 200
"""Characters of a number format that are looked at; Excel allows about as many."""
_LITERAL = re.compile(r'"([^"]*)"|\[\$([^\[\]-]*+)[^\[\]]*+\]|\\(.)')
_SCALING = re.compile(r"[0#?](,+)(?![0#?,])")
"""Commas behind the digits, each of which shows a number in thousands of the one before: "0,," for millions."""
_DECIMALS = re.compile(r"[0#?]\.([0#?]+)")


class _Reader:
    def __init__(self, title: str) -> None:
        self.writer = BlockWriter()
        self.writer.title = title
        self._rows_left = MAX_ROWS
        self._notices: list[str] = []

    def read(self, workbook: Any) -> ExtractedDocument:
        for sheet in workbook.worksheets:
            sheet.reset_dimensions()  # what a sheet says of its size may be wrong, and then rows would be cut
            write_sheet(sheet.title, self._rows(sheet), self.writer)
        return ExtractedDocument(self.writer.title, tuple(self.writer.blocks), notices=tuple(self._notices))

    def _rows(self, sheet: Any) -> Iterator[Row]:
        for number, row in enumerate(sheet.iter_rows(), start=1):
            if not self._rows_left:
                self._notices.append(read_up_to(sheet.title, number - 1))
                return
            self._rows_left -= 1
            yield (
                number,
                [shown_value(cell.value, cell.number_format) if cell.value is not None else "" for cell in row],
            )


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    if is_locked_office_file(file):
        raise DocumentError(
            "it is locked by a password, or a workbook of Excel before 2007; save a copy as .xlsx without one"
        )
    checked = checked_copy(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of all that openpyxl passes over: lists to choose from …
            workbook = openpyxl.load_workbook(checked, read_only=True, data_only=True, keep_links=False)
            extracted = _Reader(own_title(workbook.properties.title or "", name)).read(workbook)
    except (
        InvalidFileException,
        zipfile.BadZipFile,
        SyntaxError,  # what the XML parser of the standard library raises
        KeyError,
        ValueError,
        AttributeError,
        TypeError,
        IndexError,
        OverflowError,
    ) as error:
        raise DocumentError(
            "it is damaged, or no workbook; open it in the program that made it and save it again"
        ) from error
    yield extracted


def shown_value(value: object, number_format: str) -> str:
    """Returns a cell as text.

    Args:
        value: as openpyxl gives it: text, number, truth value, date, time or length of time.
        number_format: of the cell, as the file spells it: "General", "#,##0.00", "0%".
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, number_format or "General")
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("minutes")
    if isinstance(value, timedelta):
        return str(value)
    return " ".join(str(value).split())


def _number(value: float, number_format: str) -> str:
    pattern = number_format[:_MAX_PATTERN].split(";")[0]
    literals = list(_LITERAL.finditer(pattern))
    digits = _LITERAL.sub(lambda literal: " " * len(literal[0]), pattern)
    first = re.search(r"[0#]", digits)
    if first is None or "E" in digits or "/" in digits:
        return _general(value)
    scaling = _SCALING.search(digits)
    if scaling:
        value /= 1000 ** len(scaling[1])
        digits = digits[: scaling.start(1)] + digits[scaling.end(1) :]
    is_share = "%" in digits
    decimals = _DECIMALS.search(digits)
    places = len(decimals[1]) if decimals else 0
    number = format(value * 100 if is_share else value, f"{',' if ',' in digits else ''}.{places}f")
    shown = f"{number}%" if is_share else number
    unit = " ".join("".join(next(filter(None, literal.groups()), "") for literal in literals).split())
    if not unit:
        return shown
    return f"{unit} {shown}" if literals[0].start() < first.start() else f"{shown} {unit}"


def _general(value: float) -> str:
    if isinstance(value, int) or value.is_integer():
        return str(int(value)) if abs(value) < 10**15 else repr(value)
    return format(value, f".{_GENERAL_DIGITS}g")


EXTRACTOR = Extractor(_read)
