"""Reads the days, weeks and months in the name of a file or folder, in a title or in a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain, pairwise

from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.dates.days import Days

_DAY = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<between>[-_.]?)(?P<month>\d{2})(?P=between)(?P<day>\d{2})(?!\d)")
_MONTH = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})[-_](?P<month>\d{2})(?![-_]?\d)")
_WEEKS = (
    re.compile(
        r"(?<!\d)(?P<year>20\d{2})[-_ .,]{0,2}(?:(?:KW|wk|week|semaine|semana|sem)[-_ .]?|W)(?P<week>\d{1,2})(?!\d)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<!\w)(?:KW|wk|week|semaine|semana|sem)[-_ .]?(?P<week>\d{1,2})[-_ .,·]{1,3}(?P<year>20\d{2})(?!\d)",
        re.IGNORECASE,
    ),
)
"""Weeks as the notes of a week are called: "2025-W39", "2025-KW39", "KW 39 · 2025"."""
_YEAR = re.compile(r"\d{2}(?!\d)")
"""Pattern of the end of the year without which no name is looked at closely."""

_WEEK_OF = re.compile(
    r"(?:week (?:of|from|beginning|starting|commencing)|w/?c|wk|woche (?:ab|vom)|semaine du|semana del?)\W{0,2}$",
    re.IGNORECASE,
)
"""Pattern of what stands before the first day of a week: "week of 2025-03-03"."""
_TO = re.compile(r"\s?(?:[-–—_]|to|until|bis|au|al|hasta)\s?(?:the|le|el)?\s?", re.IGNORECASE)
"""Pattern of what stands between the first and the last day of several days on end."""
_LONGEST_STRETCH = 31


def days_in_name(name: str) -> list[tuple[str, Days]]:
    """Returns the days, weeks and months in a name as they stand there, with the days that they mean, the surest first.

    The first day of a week stands for the week, and two days with a dash between them for all from one to the other.

    Args:
        name: name of a file without its suffix, of a folder, or a title or heading.
    """
    return list(_found_in(name)) if _YEAR.search(name) else []


@lru_cache(maxsize=4096)
def _found_in(name: str) -> tuple[tuple[str, Days], ...]:
    single = list(dict.fromkeys(_dates_in(name)))
    weeks = [
        (name[start:end], _week_from(days.first)) for start, end, days in single if _WEEK_OF.search(name, 0, start)
    ]
    stretches = [
        (name[start:end], Days(first.first, last.last))
        for (start, before, first), (behind, end, last) in pairwise(single)
        if _TO.fullmatch(name, before, behind) and 0 < (last.last - first.first).days <= _LONGEST_STRETCH
    ]
    found = [*weeks, *stretches, *((name[start:end], days) for start, end, days in single), *_weeks_and_months(name)]
    return tuple(found)


def _dates_in(name: str) -> Iterator[tuple[int, int, Days]]:
    """Yields (start, end, days) of the days, and of the months in words, in a name."""
    for match in _DAY.finditer(name):
        if days := Days.of(int(match["year"]), int(match["month"]), int(match["day"])):
            yield *match.span(), days
    for said in written_dates(name, None):
        yield said.start, said.end, said.days


def _weeks_and_months(name: str) -> Iterator[tuple[str, Days]]:
    for match in chain.from_iterable(pattern.finditer(name) for pattern in _WEEKS):
        if days := _iso_week(int(match["year"]), int(match["week"])):
            yield match[0], days
    for match in _MONTH.finditer(name):
        if days := Days.of(int(match["year"]), int(match["month"])):
            yield match[0], days


def _iso_week(year: int, week: int) -> Days | None:
    """Returns Monday to Sunday of an ISO week; None where there is no such week."""
    try:
        return _week_from(date.fromisocalendar(year, week, 1))
    except ValueError:
        return None


def _week_from(first: date) -> Days:
    return Days(first, first + timedelta(6))
