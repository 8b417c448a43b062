"""What a relative date means, seen from a day: "last Tuesday" is the Tuesday before it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from noderag_local.text.dates.days import Days


class Meaning(NamedTuple):
    """What a phrase means, seen from today."""

    unit: str
    """One of "day", "week", "weekend", "month", "year", "weekday" and "weekday of week"."""
    steps: int
    """Units from today on; below 0 into the past."""
    weekday: int = 0
    """Monday is 0; only where the unit is "weekday" or "weekday of week"."""
    is_counted: bool = False
    """Whether the phrase counts units, as "two weeks ago" does, which is often only about right."""

    def seen_from(self, today: date) -> Days | None:
        """Returns the days that are meant; None where the calendar ends before them."""
        try:
            return self._days(today)
        except OverflowError:
            return None

    def _days(self, today: date) -> Days | None:
        if self.unit == "year":
            return Days.of(today.year + self.steps)
        if self.unit == "month":
            months = 12 * today.year + today.month - 1 + self.steps
            return Days.of(months // 12, months % 12 + 1)
        if self.unit == "weekday":
            return _one(today + timedelta(self._to_weekday(today)))
        if self.unit == "day":
            return _one(today + timedelta(self.steps))
        monday = today + timedelta(7 * self.steps - today.weekday())
        if self.unit == "weekday of week":
            return _one(monday + timedelta(self.weekday))
        return Days(monday + timedelta(5 if self.unit == "weekend" else 0), monday + timedelta(6))

    def _to_weekday(self, today: date) -> int:
        """Days from today to the weekday, which is never today itself."""
        ahead = (self.weekday - today.weekday()) % 7 or 7
        return ahead + 7 * (self.steps - 1) if self.steps > 0 else (ahead - 7 or -7) + 7 * (self.steps + 1)


def _one(day: date) -> Days:
    return Days(day, day)
