"""The week, month or year that a note is about, and the days that its headings and lines name within it.

Weekly and monthly notes seldom write whole dates: the year stands in the title, "Log 2025, wk 28", or in the name of a folder,
and the days are "Tue 8/7", "8 July", "Tuesday" or "8".
"""

from __future__ import annotations

import os
import re
from datetime import date
from functools import lru_cache

from noderag_local.text.dates.calendar_names import full_months, months, weekday_numbers, weekdays
from noderag_local.text.dates.date_names import LETTER
from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.dates.days import Days
from noderag_local.text.dates.days_in_names import days_in_name
from noderag_local.text.languages import language_of

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_WORD = re.compile(rf"(?:{LETTER}){{2,14}}")
_NUMBERS = re.compile(r"(?P<one>\d{1,2})(?:[-./_ ](?P<other>\d{1,2}))?(?:st|nd|rd|th|er|º|\.)?")
_WEEK, _MONTH = 7, 31
"""Days of the longest week and month."""


@lru_cache(maxsize=4096)
def period_of(path: str, title: str, headings: tuple[str, ...] = ()) -> Days | None:
    """Returns the day, week, month or year that a part of a note is about, as the innermost name over it tells; None where none does.

    A month may stand under its year: "Journal 2025/July.md", or "2025" over "July".

    Args:
        path: path of the note's file.
        title: its title.
        headings: headings over the part, outermost first.
    """
    return _innermost((*_parts(os.path.splitext(path)[0]), title, *headings))


@lru_cache(maxsize=1024)
def period_of_folders(path: str) -> Days | None:
    """Returns the month or year that the folders of a file name; None where they name none."""
    return _innermost(_parts(os.path.dirname(path)))


def day_within(label: str, period: Days | None) -> date | None:
    """Returns the day that a heading, the name of a file or the front of a line names within a period; None where it names none.

    Args:
        label: "8 July", "Tue 8/7", "7-8 Tue"; in a month also "Tue 8", and in a week "Tuesday".
        period: of what it stands in.
    """
    if period is None:
        return None
    named = {one.days.first for one in written_dates(label, period.middle) if one.days.length == 1}
    if named:
        return named.pop() if len(named) == 1 else None
    weekdays = [weekday_numbers().get(word.casefold()) for word in _WORD.findall(_NUMBERS.sub(" ", label))]
    if None in weekdays:
        return None
    numbers = frozenset[int]().union(*filter(None, weekdays))
    days = [day for day in _numbered(label, period) if not numbers or day.weekday() in numbers]
    return days[0] if len(set(days)) == 1 else None


def day_of_weekday(text: str, period: Days | None) -> date | None:
    """Returns the day of a week whose weekday is the only one that a sentence names: "On Tuesday we swam"; None in a longer period."""
    if period is None or period.length != _WEEK:
        return None
    names = weekdays(language_of(text))
    numbers = {names[word] for word in _WORD.findall(text.casefold()) if word in names}
    return next(day for day in period.each() if day.weekday() in numbers) if len(numbers) == 1 else None


def _numbered(label: str, period: Days) -> list[date]:
    """Returns the days that the numbers of a label may mean in a period; all of a week where it has none."""
    found = list(_NUMBERS.finditer(label))
    if not found:
        return list(period.each()) if period.length <= _WEEK else []
    if len(found) > 1:
        return []
    one, other = int(found[0]["one"]), int(found[0]["other"] or 0)
    if not other:
        return [day for day in period.each() if day.day == one] if _WEEK < period.length <= _MONTH else []
    pairs = [(one, other), (other, one)]
    return [day for day in period.each() if (day.month, day.day) in pairs]


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.replace("\\", "/").split("/"))


def _innermost(names: tuple[str, ...]) -> Days | None:
    period = next(filter(None, map(_period_in, reversed(names))), None)
    if period is None or period.length <= _MONTH:
        return period
    month = next(filter(None, map(_month_in, reversed(names))), 0)
    return Days.of(period.first.year, month)


@lru_cache(maxsize=4096)
def _period_in(name: str) -> Days | None:
    """Returns the only day, week or month that a name has, or else its only year."""
    found = {days for _, days in days_in_name(name)}
    whole = [days for days in found if all(days.first <= one.first and one.last <= days.last for one in found)]
    years = {int(year) for year in _YEAR.findall(name)}
    if found or len(years) != 1:
        return whole[0] if whole else None
    return Days.of(years.pop())


def _month_in(name: str) -> int:
    """Returns the number of the month if a name has no other word: "July", "07 Jul"; else 0."""
    words = _WORD.findall(name)
    is_numbered = name[:1].isdigit()
    known = months() if is_numbered else full_months()
    return known.get(words[0].casefold(), 0) if len(words) == 1 else 0
