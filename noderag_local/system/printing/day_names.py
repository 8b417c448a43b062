"""Names days as people do, relative to today."""

from __future__ import annotations

from datetime import date

from noderag_local.system.printing.amounts import counted

_WEEKDAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_NEAR = {-1: "yesterday", 0: "today", 1: "tomorrow"}
_LONG_AGO = 60
"""Number of days from which a late task shows its date instead of the number of days."""


def day_name(day: date, today: date) -> str:
    """Returns "today", "tomorrow", "yesterday", "Fri 27 Nov", or "Sat 3 Jul 2027" in another year."""
    near = _NEAR.get((day - today).days)
    year = "" if day.year == today.year else f" {day.year}"
    return near or f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]}{year}"


def due_name(due: date, today: date) -> str:
    """Returns when something is due: "6 days late", "late: 3 Jul 2025", "today", "Fri 27 Nov"."""
    late = (today - due).days
    if late <= 0:
        return day_name(due, today)
    if late < _LONG_AGO:
        return f"{counted(late, 'days')} late"
    return f"late: {due.day} {_MONTHS[due.month - 1]} {due.year}"


def whole_name(day: date) -> str:
    """Returns the full name of a day: "Thu 26 Nov 2026"."""
    return f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"
