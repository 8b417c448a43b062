"""The days that a document is about, read from its file name or its last change."""

from __future__ import annotations

import os
import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, datetime

_DAY = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<between>[-_.]?)(?P<month>\d{2})(?P=between)(?P<day>\d{2})(?!\d)")
_MONTH = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})[-_](?P<month>\d{2})(?![-_]?\d)")


def days_of(path: str, modified_ns: int) -> tuple[date, date]:
    """Returns the first and last day that a document is about.

    A day or month in the file's name ("2024-03-05 Porto.md", "20240305.txt", "2024-03.md") counts for more than the day on which
    the file was last changed: a journal is about its days, whenever it was edited.

    Args:
        path: path of the file.
        modified_ns: nanoseconds since 1970, UTC; its day is taken in the machine's time zone.
    """
    name = os.path.basename(path)
    for pattern in (_DAY, _MONTH):
        for match in pattern.finditer(name):
            days = _days(**{part: int(digits) for part, digits in match.groupdict().items() if digits.isdigit()})
            if days:
                return days
    changed = datetime.fromtimestamp(modified_ns / 1e9).date()
    return changed, changed


def day_in_name(path: str) -> str:
    """Returns the day in a file's name as it stands there ("2024-03-05", "20240305"); "" where it has none."""
    return next((spelled for spelled, _ in _named_days(path)), "")


def named_day(path: str) -> date | None:
    """Returns the day in a file's name; None where it has none."""
    return next((day for _, day in _named_days(path)), None)


def _named_days(path: str) -> Iterator[tuple[str, date]]:
    for match in _DAY.finditer(os.path.basename(path)):
        if days := _days(int(match["year"]), int(match["month"]), int(match["day"])):
            yield match[0], days[0]


def _days(year: int, month: int, day: int = 0) -> tuple[date, date] | None:
    """None where there is no such day."""
    if not 1 <= month <= 12 or day > monthrange(year, month)[1]:
        return None
    return date(year, month, day or 1), date(year, month, day or monthrange(year, month)[1])
