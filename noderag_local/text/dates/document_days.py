"""The days that a document is about, read from its file name or its last change."""

from __future__ import annotations

import os
import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache
from itertools import chain

from noderag_local.text.dates.dates_in_text import written_dates

_DAY = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<between>[-_.]?)(?P<month>\d{2})(?P=between)(?P<day>\d{2})(?!\d)")
_MONTH = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})[-_](?P<month>\d{2})(?![-_]?\d)")
_WEEKS = (
    re.compile(r"(?<!\d)(?P<year>20\d{2})[-_ .]?(?:K?W|week |semaine |semana )(?P<week>\d{1,2})(?!\d)", re.IGNORECASE),
    re.compile(
        r"(?<!\w)(?:KW|week|semaine|semana)[-_ .]?(?P<week>\d{1,2})[-_ .,·]{1,3}(?P<year>20\d{2})(?!\d)", re.IGNORECASE
    ),
)
"""Weeks as the notes of a week are called: "2025-W39", "2025-KW39", "KW 39 · 2025"."""
_YEAR = re.compile(r"\d{2}(?!\d)")
"""Pattern of the end of the year without which no name is looked at closely."""

FirstAndLast = tuple[date, date]


def days_of(path: str, modified_ns: int) -> FirstAndLast:
    """Returns the first and last day that a document is about.

    A day, week or month in the file's name ("2024-03-05 Porto.md", "5 March 2024.md", "20240305.txt", "2024-W10.md", "2024-03.md")
    counts for more than the day on which the file was last changed: a journal is about its days, whenever it was edited.

    Args:
        path: path of the file.
        modified_ns: nanoseconds since 1970, UTC; its day is taken in the machine's time zone.
    """
    named = next((days for _, days in _named_days(path)), None)
    changed = datetime.fromtimestamp(modified_ns / 1e9).date()
    return named or (changed, changed)


def day_in_name(path: str) -> str:
    """Returns the day in a file's name as it stands there ("2024-03-05", "5 March 2024"); "" where it has none."""
    return next((spelled for spelled, (first, last) in _named_days(path) if first == last), "")


def named_day(path: str) -> date | None:
    """Returns the day in a file's name; None where it has none."""
    return next((first for _, (first, last) in _named_days(path) if first == last), None)


def _named_days(path: str) -> tuple[tuple[str, FirstAndLast], ...]:
    """Returns the days, weeks and months in a file's name as they stand there, each with its first and last day."""
    name = os.path.basename(path)
    return _found_in(name) if _YEAR.search(name) else ()


@lru_cache(maxsize=4096)
def _found_in(name: str) -> tuple[tuple[str, FirstAndLast], ...]:
    return tuple(_each_in(name))


def _each_in(name: str) -> Iterator[tuple[str, FirstAndLast]]:
    for match in _DAY.finditer(name):
        if days := _days(int(match["year"]), int(match["month"]), int(match["day"])):
            yield match[0], days
    stem = os.path.splitext(name)[0]
    for said in written_dates(stem, None):
        yield stem[said.start : said.end], (said.days.first, said.days.last)
    for match in chain.from_iterable(pattern.finditer(name) for pattern in _WEEKS):
        if days := _week(int(match["year"]), int(match["week"])):
            yield match[0], days
    for match in _MONTH.finditer(name):
        if days := _days(int(match["year"]), int(match["month"])):
            yield match[0], days


def _week(year: int, week: int) -> FirstAndLast | None:
    """Returns Monday and Sunday of an ISO week; None where there is no such week."""
    try:
        return date.fromisocalendar(year, week, 1), date.fromisocalendar(year, week, 7)
    except ValueError:
        return None


def _days(year: int, month: int, day: int = 0) -> FirstAndLast | None:
    """None where there is no such day."""
    if not 1 <= month <= 12 or day > monthrange(year, month)[1]:
        return None
    return date(year, month, day or 1), date(year, month, day or monthrange(year, month)[1])
