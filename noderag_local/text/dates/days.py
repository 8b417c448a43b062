"""A stretch of days, which is what every date means: a day, a week, a month or a year."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import MAXYEAR, MINYEAR, date, timedelta
from typing import NamedTuple

OLDEST_YEAR = 1900
"""Earliest year in which days of people's notes are looked for."""


def same_day(day: date, year: int) -> date | None:
    """Returns the same day of another year; None for a 29th of February that it does not have."""
    try:
        return day.replace(year=year)
    except ValueError:
        return None


class Days(NamedTuple):
    """The days from a first one to a last one, both included."""

    first: date
    last: date

    @classmethod
    def of(cls, year: int, month: int = 0, day: int = 0) -> Days | None:
        """Returns a year, month or day; None where the calendar has no such one."""
        if not MINYEAR <= year <= MAXYEAR or not 0 <= month <= 12 or (day and not month):
            return None
        if not month:
            return cls(date(year, 1, 1), date(year, 12, 31))
        length = monthrange(year, month)[1]
        return cls(date(year, month, day or 1), date(year, month, day or length)) if day <= length else None

    @classmethod
    def read(cls, written: str) -> Days:
        """Reads what `str` wrote.

        Raises:
            ValueError: the text is nothing that `str` writes.
        """
        first, _, last = written.partition(" to ")
        one, other = (cls.of(*map(int, part.split("-"))) for part in (first, last or first))
        if one is None or other is None:
            raise ValueError(f"{written!r} is no stretch of days")
        return cls(one.first, other.last)

    @property
    def middle(self) -> date:
        """The day in the middle."""
        return self.first + timedelta(self.length // 2)

    @property
    def length(self) -> int:
        """Number of days."""
        return (self.last - self.first).days + 1

    @property
    def is_whole(self) -> bool:
        """Whether they are a day, a month or a year."""
        first = self.first
        return self in (Days(first, first), Days.of(first.year, first.month), Days.of(first.year))

    def holds(self, other: Days) -> bool:
        """Returns whether all days of another stretch lie within this one."""
        return self.first <= other.first and other.last <= self.last

    def __str__(self) -> str:
        """Writes them as "2023-05-07", "2023-05", "2023" or "2023-05-01 to 2023-05-07"."""
        for written, days in (
            (self.first.isoformat(), Days(self.first, self.first)),
            (f"{self.first:%Y-%m}", Days.of(self.first.year, self.first.month)),
            (f"{self.first:%Y}", Days.of(self.first.year)),
        ):
            if days == self:
                return written
        return f"{self.first} to {self.last}"

    def each(self) -> Iterator[date]:
        """Yields every day."""
        return (self.first + timedelta(at) for at in range(self.length))
