"""Reads the tables of notes: their rows by column, and what a table is about by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath

from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.measures import measure_of, row_words, unit_of
from noderag_local.aggregation.money import NUMBER, decimal_of, signed
from noderag_local.aggregation.question_phrases import words_of
from noderag_local.aggregation.thousands import MARKS, thousands_marks
from noderag_local.domain.documents import BlockKind

_CLOCK = re.compile(r"\d{1,3}(?::\d{2}){1,2}")
_MOST_AROUND = 1
"""Words beside the number of a cell: its unit."""


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A row of a table."""

    entry: NoteEntry
    cells: tuple[tuple[str, str], ...]
    """(name of the column, value), left to right, without empty cells."""


@dataclass(frozen=True, slots=True)
class NoteTable:
    """A table in a note, or a file that is one."""

    name: str
    """Title of the document, and the headings over the table."""
    rows: tuple[NoteRow, ...]

    def columns(self) -> list[str]:
        """Returns the names of the columns, left to right."""
        return list(dict.fromkeys(name for row in self.rows for name, _ in row.cells if name))

    def _cells(self, column: str) -> Iterator[str]:
        return (cell for row in self.rows for name, cell in row.cells if name == column)

    def thousands(self, column: str) -> frozenset[str] | None:
        """Returns the marks that set thousands apart in a column that is not about money; None where it does not tell."""
        if "/" in column:
            # Prices and times for one of something have three decimals, and no thousands.
            return frozenset()
        numbers = [found[0].rstrip(".,") for cell in self._cells(column) if len(found := NUMBER.findall(cell)) == 1]
        return thousands_marks(numbers)

    def measuring(self, measure: str) -> str:
        """Returns the only column with numbers that measures something; "" without one, or with several."""
        found = [
            column
            for column in self.columns()
            if measure_of(column) == measure
            and any(value_of(cell, measure) is not None for cell in self._cells(column))
        ]
        return found[0] if len(found) == 1 else ""


def tables_in(document_ids: Iterable[int], entries: Entries) -> list[NoteTable]:
    """Returns the tables of documents, without rows of totals. Rows without another sentence between them are one table."""
    found: list[NoteTable] = []
    run: list[NoteEntry] = []
    for one in entries.of_documents(document_ids):
        is_row = one.sentence.kind is BlockKind.TABLE_ROW
        if run and not (is_row and one.sentence.document_id == run[-1].sentence.document_id):
            found += _table(run)
            run = []
        if is_row:
            run.append(one)
    return found + _table(run)


def _table(run: Sequence[NoteEntry]) -> list[NoteTable]:
    if not run:
        return []
    sentence = run[0].sentence
    name = " ".join((sentence.title or PurePath(sentence.path).stem, *sentence.headings))
    rows = _named_rows(run) if _is_named(run[0]) else _rows_under_header(run)
    kept = tuple(row for row in rows if not sums_up(row.cells))
    return [NoteTable(name, kept)] if kept else []


def sums_up(cells: Sequence[tuple[str, str]]) -> bool:
    """Returns whether a row is a total of others: one of its first two cells has only a word such as "total"."""
    return any(words and set(words) <= row_words("total") for words in (words_of(value) for _, value in cells[:2]))


def _is_named(entry: NoteEntry) -> bool:
    """Whether a row tells its columns itself: "date: 2026-03-01; km: 2"."""
    return all(": " in cell for cell in entry.sentence.text.split("; "))


def _named_rows(run: Sequence[NoteEntry]) -> Iterator[NoteRow]:
    return (NoteRow(one, named_cells(one.sentence.text)) for one in run)


def named_cells(row: str) -> tuple[tuple[str, str], ...]:
    """Returns the (column name, value) pairs of a row that names its columns itself, from left to right."""
    cells = (cell.partition(": ") for cell in row.split("; "))
    return tuple((name.strip(), value.strip()) for name, found, value in cells if found)


def _rows_under_header(run: Sequence[NoteEntry]) -> Iterator[NoteRow]:
    """The rows of a table of Markdown: the first names the columns. A row may end early, where its last cells are empty."""
    header, *rows = [[cell.strip() for cell in one.sentence.text.split("|")] for one in run]
    for one, row in zip(run[1:], rows, strict=True):
        if len(row) <= len(header):
            yield NoteRow(one, tuple((name, value) for name, value in zip(header, row, strict=False) if value))


def value_of(cell: str, measure: str, thousands: frozenset[str] = frozenset()) -> Decimal | None:
    """Returns the number of a cell that holds nothing else but its unit; None for any other cell.

    Times such as "5:25" are numbers of their last unit.

    Args:
        cell: text of the cell.
        measure: what it measures.
        thousands: marks that set thousands apart in what is no money; without any, "42.195" km are forty-two.
    """
    clock = _CLOCK.fullmatch(cell)
    if clock:
        value = Decimal(0)
        for part in cell.split(":"):
            value = value * 60 + int(part)
        return value
    cell = signed(cell, is_money=measure == "money")
    found = NUMBER.findall(cell)
    around = words_of(NUMBER.sub(" ", cell))
    if len(found) != 1 or len(around) > _MOST_AROUND or (around and not unit_of(around[0])):
        return None
    digits = found[0].rstrip(".,")
    separators = [mark for mark in digits if mark in MARKS]
    if measure != "money" and len(separators) == 1 and separators[0] not in thousands:
        return Decimal(digits.replace(",", ".").replace("'", "").replace("’", ""))
    return decimal_of(digits)


def is_clock(cell: str) -> bool:
    """Returns whether a cell holds a time such as "5:25"."""
    return _CLOCK.fullmatch(cell) is not None
