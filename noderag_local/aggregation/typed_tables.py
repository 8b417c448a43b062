"""Reads what the columns of a table are: days, numbers with a unit, or texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from noderag_local.aggregation.measures import measure_of, unit_of
from noderag_local.aggregation.money import NUMBER, decimal_of, signed
from noderag_local.aggregation.question_phrases import words_of
from noderag_local.aggregation.tables import NoteTable
from noderag_local.aggregation.thousands import MARKS, thousands_marks
from noderag_local.domain.tables import Cell, Column, ColumnKind, TypedTable
from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.dates.days import Days
from noderag_local.text.languages import language_of

LEAST_READ = 0.8
"""Share of a column's cells that must be days or numbers for it to be a column of these."""
_MOST_BESIDE = 2
"""Words that may stand beside the number of a cell, such as its unit."""
_MOST_IN_NAME = 6
"""Words of a title in the identifier that stands for it."""
_NOTHING = frozenset({"", "?", "-", "–", "—", "/", "n/a", "na", "tbd"})
"""Casefolded cells that tell nothing."""
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/((?:19|20)?\d\d)")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_BETWEEN_WORDS = re.compile(r"[^\w]|_")
_RESERVED = frozenset(
    """add all alter and any as asc between by case check column create cross current default delete desc distinct drop else end except
    exists for foreign from full group having if in index inner insert into is join key left like limit no not null of off offset on
    or order outer over partition plan primary range references replace right row rows select set table temp then to trigger union
    unique update using values view when where window with""".split()
)
"""Words that cannot be names of columns in SQL."""


def typed(table: NoteTable, today: date) -> TypedTable | None:
    """Returns a table with typed cells; None if it has fewer than two columns or no row.

    Args:
        table: a table of a note.
        today: present day, to complete dates without a year if the note has no date.
    """
    titles = table.columns()
    rows = table.rows
    if len(titles) < 2 or not rows:
        return None
    days = [row.entry.written or today for row in rows]
    cells = [[dict(row.cells).get(title, "").strip() for title in titles] for row in rows]
    names = _names(titles)
    language = language_of(" ".join((*titles, *(cell for row in cells for cell in row))))
    columns, values = [], []
    for title, name, of_column in zip(titles, names, zip(*cells, strict=True), strict=True):
        kind, unit, read = _read(title, of_column, days, language)
        unread = sum(one is None and cell.casefold() not in _NOTHING for one, cell in zip(read, of_column, strict=True))
        columns.append(Column(title, name, kind, unit, unread))
        values.append(read)
    nodes = tuple(row.entry.sentence.id for row in rows)
    return TypedTable(
        table.name, _identifier(table.name) or "notes", tuple(columns), tuple(zip(*values, strict=True)), nodes
    )


def _names(titles: Sequence[str]) -> list[str]:
    """The titles as identifiers, each once: "price", "price_2"."""
    names: list[str] = []
    for title in titles:
        name = _identifier(_IN_BRACKETS.sub(" ", title)) or _identifier(title) or "value"
        count = sum(other == name or other.rpartition("_")[0] == name for other in names)
        names.append(f"{name}_{count + 1}" if count else name)
    return names


def _identifier(title: str) -> str:
    """The words of a title, joined so that SQL takes them for one name; "" where it has none."""
    words = words_of(_BETWEEN_WORDS.sub(" ", title))
    name = "_".join(words[:_MOST_IN_NAME])
    return f"{name}_" if name in _RESERVED else f"n_{name}" if name[:1].isdigit() else name


def _read(title: str, cells: Sequence[str], days: Sequence[date], language: str) -> tuple[ColumnKind, str, list[Cell]]:
    """Returns what a column is, its unit, and its cells as values."""
    told = [cell for cell in cells if cell.casefold() not in _NOTHING]
    if told:
        read_days = _days(cells, days, language)
        if sum(day is not None for day in read_days) >= LEAST_READ * len(told):
            return ColumnKind.DAY, "", list(read_days)
        numbers = _numbers(title, cells)
        if sum(number is not None for number in numbers) >= LEAST_READ * len(told):
            return ColumnKind.NUMBER, _unit(title, told), list(numbers)
    return ColumnKind.TEXT, "", [cell if cell.casefold() not in _NOTHING else None for cell in cells]


def _days(cells: Sequence[str], days: Sequence[date], language: str) -> list[str | None]:
    """The cells that hold nothing but a day, in ISO 8601; none of "1/2/2026" in an English table that leaves the order open.

    Days without a year are those of the year in which the note was written if they then stand in order, or else the nearest.
    """
    slashed = [(int(match[1]), int(match[2])) for cell in cells if (match := _SLASHED.fullmatch(cell))]
    is_month_first = any(other > 12 for _, other in slashed)
    is_decided = is_month_first or any(one > 12 for one, _ in slashed) or all(one == other for one, other in slashed)
    if language == "en" and not is_decided:
        return [None] * len(cells)
    of_year = [_day(cell, day.replace(month=7, day=1), is_month_first) for cell, day in zip(cells, days, strict=True)]
    told = [day for day in of_year if day]
    if told in (sorted(told), sorted(told, reverse=True)):
        return of_year
    return [_day(cell, day, is_month_first) for cell, day in zip(cells, days, strict=True)]


def _day(cell: str, written: date, is_month_first: bool) -> str | None:
    if match := _SLASHED.fullmatch(cell):
        one, other, year = (int(part) for part in match.groups())
        month, day = (one, other) if is_month_first else (other, one)
        found = Days.of(year if year > 99 else 2000 + year, month, day)
        return found.first.isoformat() if found else None
    # People write "3 mar" in tables, where it can be nothing but a day.
    said = [one for one in written_dates(cell.title(), written) if one.days.length == 1]
    rest = "".join((cell[: said[0].start], cell[said[0].end :])) if len(said) == 1 else cell
    # A weekday or a mark may stand beside the day.
    return said[0].days.first.isoformat() if len(said) == 1 and len(words_of(rest)) < 2 else None


def _numbers(title: str, cells: Sequence[str]) -> list[float | None]:
    """The numbers of cells that hold nothing else but a unit."""
    is_money = measure_of(title) == "money" or any(mark in cell for cell in (title, *cells) for mark in "€$£")
    found = [_only_digits(signed(cell, is_money=is_money)) for cell in cells]
    # Prices per litre or hour have three decimals, and no thousands.
    thousands = frozenset() if "/" in title else MARKS if is_money else thousands_marks(list(filter(None, found)))
    return [None if not digits else _number(digits, MARKS if thousands is None else thousands) for digits in found]


def _only_digits(cell: str) -> str:
    """The digits of a cell with their sign and marks; "" where there are several numbers, or many words."""
    found = NUMBER.findall(cell)
    rest = words_of(NUMBER.sub(" ", cell))
    is_one = len(found) == 1 and len(rest) <= _MOST_BESIDE and ":" not in cell
    return found[0].rstrip(".,'’") if is_one else ""


def _number(digits: str, thousands: frozenset[str]) -> float | None:
    """The number; a single mark before three digits groups them only where the column does so: "42.195" km are forty-two."""
    if sum(mark in MARKS for mark in digits) == 1 and thousands.isdisjoint(digits):
        return float(digits.replace(",", ".").replace("'", "").replace("’", ""))
    value = decimal_of(digits)
    return None if value is None else float(value)


def _unit(title: str, cells: Sequence[str]) -> str:
    """The unit in the title of a column, or else in most of its cells."""
    if unit := unit_of(title):
        return unit
    (unit, count), *_ = Counter(map(unit_of, cells)).most_common(1)
    return unit if 2 * count > len(cells) else ""


def typed_tables(tables: Iterable[NoteTable], today: date) -> Iterator[TypedTable]:
    """Yields the tables that can be read; arguments as for `typed`."""
    for table in tables:
        if (found := typed(table, today)) is not None:
            yield found
