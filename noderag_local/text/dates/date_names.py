"""Reads names that are dates."""

from __future__ import annotations

import re
from typing import NamedTuple

from noderag_local.text.dates.calendar_names import full_months

_LAST_SHORT_YEAR = 49
"""Last year of this century that people write with two digits: "07.05.23", but "12.04.85" is of the last one."""
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_YEAR = r"(?P<year>\d{4})"
LETTER = r"[^\W\d_\u0900-\u10ff]|[\u0300-\u036f\u0900-\u0963\u0e00-\u0e4e\u1000-\u103f]"
"""Letters, and the signs over and after letters that names of months have, as in Hindi."""
ORDINAL = r"(?:st|nd|rd|th|º|er)?"
"""Pattern of the ending that a day may have: "1st", "1er"."""
TO = r"(?:[-–]|\s(?:to|bis|au|al)\s)"
"""Pattern of the sign or word between two days: "3-5 May", "vom 3. bis 5. Mai"."""
_MONTH = rf"(?P<month>(?:{LETTER}){{2,14}})\.?"
_DAY = r"(?:\d{1,2}[/–-])?(?P<day>\d{1,2})(?:st|nd|rd|th|º|er|\.)?"
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        r"(?P<year>\d{4})(?P<between>[-/])(?P<number>\d{2})(?P=between)(?P<day>\d{2})",
        rf"{_DAY}(?:\s(?:of|de))?\s{_MONTH}(?:,|\sde|\sdel)?\s{_YEAR}",
        rf"{_MONTH}\s{_DAY},?\s{_YEAR}",
        rf"{_MONTH}(?:,|\sde|\sof)?\s{_YEAR}",
        r"(?P<day>\d{1,2})\.(?P<number>\d{1,2})\.(?P<year>\d{4})",
        r"(?P<day>\d{2})\.(?P<number>\d{2})\.(?P<short>\d{2})",
        r"(?P<either>\d{1,2})/(?P<other>\d{1,2})/(?P<year>\d{4})",
        r"(?P<year>\d{4})\s?年(?:\s?(?P<number>\d{1,2})\s?月(?:\s?(?P<day>\d{1,2})\s?日)?)?",
        r"(?P<year>1\d{3}|20\d{2})(?P<span>s)?",
        r"(?P<year>[\d,]+)\s(?P<before>BCE|BC)",
        r"(?P<year>\d{1,4})\s(?:AD|CE)",
        r"AD\s(?P<year>\d{1,4})",
        r"(?P<century>\d{1,2})(?:st|nd|rd|th)[ -]century",
    )
)


class When(NamedTuple):
    """A date; dates sort by time, a year before its months and a month before its days."""

    year: int
    """Year; 1 BC is 0, 2 BC is −1."""
    month: int = 0
    """Month; 0 where only the year is known."""
    day: int = 0
    """Day; 0 where only the month is known."""
    is_span: bool = False
    """Whether it is a decade or a century, with `year` as its first year."""

    @property
    def precision(self) -> int:
        """Precision of the date: 0 for a span of years, 1 for a year, 2 for a month, 3 for a day."""
        return 0 if self.is_span else 1 + bool(self.month) + bool(self.day)

    def holds(self, other: When) -> bool:
        """Returns whether the other date lies within this one."""
        if self.precision >= other.precision or self.is_span:
            return False
        return self.year == other.year and self.month in (0, other.month)


def when(name: str) -> When | None:
    """Returns the date that a name is; None where it is no date, only contains one, or has no year.

    "16 June 1957", "June 1957", "1957", "1950s", "16.06.1957", "44 BC", "16th century", "1957年6月" … Where day and
    month could change places ("03/04/2020"), the year alone is taken.
    """
    if not any(map(str.isdigit, name)):
        return None
    text = " ".join(name.split())
    for shape in _SHAPES:
        if match := shape.fullmatch(text):
            return _read({part: value for part, value in match.groupdict().items() if value})
    return None


def full_year(digits: int) -> int:
    """Returns the year that two digits mean."""
    return digits + (2000 if digits <= _LAST_SHORT_YEAR else 1900)


def _read(parts: dict[str, str]) -> When | None:
    if "century" in parts:
        return When((int(parts["century"]) - 1) * 100, is_span=True)
    digits = parts["year"].replace(",", "") if "year" in parts else str(full_year(int(parts["short"])))
    if not digits.isdecimal():
        return None
    year = 1 - int(digits) if "before" in parts else int(digits)
    if "span" in parts:
        return When(year, is_span=True)
    if "either" in parts:
        return _unordered(year, int(parts["either"]), int(parts["other"]))
    month = int(parts.get("number", 0)) or full_months().get(parts.get("month", "").casefold(), 0)
    day = int(parts.get("day", 0))
    if "month" in parts and not month:
        return None
    return When(year, month, day) if exists(month, day) else None


def _unordered(year: int, one: int, other: int) -> When:
    """Returns a date whose day and month may come in either order: "25/12/2020" shows the day by its size, "03/04/2020" does not."""
    orders = [(month, day) for month, day in {(one, other), (other, one)} if month and day and exists(month, day)]
    return When(year, *orders[0]) if len(orders) == 1 else When(year)


def exists(month: int, day: int) -> bool:
    """Returns whether there is such a day in some year; 0 stands for an unknown month or day."""
    if not month:
        return not day
    return 1 <= month <= 12 and day <= _DAYS[month - 1]
