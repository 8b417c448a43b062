"""The day in a date or time that a program wrote: "2026-05-03", "2026-05-03T22:30:00+02:00", "20260503"."""

from __future__ import annotations

import re
from datetime import date

OLDEST, LATEST = 1800, 2199
"""Years between which a day is believed; programs write a year such as 1 or 9999 for a day that they do not know."""
_TIME = r"\d{1,2}:\d{2}[^\n]{0,40}"
_WRITTEN = re.compile(
    rf"(?P<year>\d{{4}})(?P<sign>[-/])(?P<month>\d{{1,2}})(?P=sign)(?P<day>\d{{1,2}})(?:(?:[Tt]|[ \t]+){_TIME})?",
    re.ASCII,
)
_COMPACT = re.compile(r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?:T?\d{4}(?:\d{2})?Z?)?", re.ASCII)


def told_day(written: str) -> date | None:
    """Returns the day of a date, or of a time as it is written, in whatever zone; None where it cannot be read or believed.

    Args:
        written: nothing but the date or time; the brackets of a link may stand around it, "[[2026-05-03]]".
    """
    bare = written.strip().removeprefix("[[").removesuffix("]]")
    found = _WRITTEN.fullmatch(bare) or _COMPACT.fullmatch(bare)
    if found is None or not OLDEST <= int(found["year"]) <= LATEST:
        return None
    try:
        return date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        return None


def iso_day(written: str) -> str:
    """Returns what `told_day` returns, as "2026-05-03"; "" for None."""
    day = told_day(written)
    return day.isoformat() if day else ""
