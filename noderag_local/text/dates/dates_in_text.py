"""Finds days, months with a year, and relative dates in texts, and tells which days they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from noderag_local.text.dates.calendar_names import (
    english_weekdays,
    full_months,
    month_names,
    months,
    weekday_numbers,
)
from noderag_local.text.dates.date_names import LETTER, ORDINAL, TO, full_year
from noderag_local.text.dates.days import Days
from noderag_local.text.dates.relative_dates import relative_dates
from noderag_local.text.languages import language_of

_HALF_YEAR = timedelta(183)

_LONGEST_NAME = 14
"""Letters of a month's name. Of a longer word, so many are read as a name."""
_MONTH = rf"(?P<month>(?:{LETTER}){{2,{_LONGEST_NAME}}})\.?"
_DAY = r"(?<![\w.,:/-])(?P<day>\d{1,2})(?:st|nd|rd|th|º|er|\.)?"
_FIRST_DAY = r"(?<![\w.,:/-])(?P<first>\d{1,2})"
_NO_VERSION = r"(?<![Vv]ersion )(?<![Rr]elease )"
_YEAR = r"(?P<year>(?:1\d|20)\d{2})(?![\w-])"
_JOINED_MONTH = rf"(?P<month>(?:{LETTER}){{3,{_LONGEST_NAME}}})"
"""Pattern of a month's name between hyphens, which has no full stop: "14-oct-2025"."""
_SHORT_YEAR = r"(?P<year>(?:1\d|20)\d{2}|[0-4]\d)(?![\w-])"
# Within each of these tuples, the fuller spellings come first.
_OF_NUMBERS = tuple(
    re.compile(shape)
    for shape in (
        r"(?<![\w.-])(?P<year>(?:1\d|20)\d{2})(?P<between>[-/.])(?P<number>\d{1,2})(?P=between)(?P<day>\d{1,2})(?!\d)",
        rf"{_FIRST_DAY}\.(?:[-–]|\sbis\s)(?P<day>\d{{1,2}})\.\s?(?P<number>\d{{1,2}})\.\s?(?P<year>(?:1\d|20)\d{{2}})(?!\w|\.\d)",
        r"(?<![\w.,-])(?P<day>\d{1,2})\.\s?(?P<number>\d{1,2})\.\s?(?P<year>(?:1\d|20)\d{2})(?!\w|\.\d)",
        rf"{_NO_VERSION}(?<![\w.,-])(?P<day>\d{{2}})\.(?P<number>\d{{2}})\.(?P<year>\d{{2}})(?!\w|\.\d)",
        # "25.9.25" is a day of these years; "3.11.9" is a version.
        rf"{_NO_VERSION}(?<![\w.,-])(?P<day>\d{{1,2}})\.(?P<number>\d{{1,2}})\.(?P<year>[23]\d)(?!\w|\.\d)",
        rf"{_FIRST_DAY}\.(?:[-–]|\sbis\s)(?P<day>\d{{1,2}})\.\s?(?P<number>\d{{1,2}})\.(?!\d)",
        # "3.5." is a day only if a word or a time beside it shows that.
        r"(?<![\w.,/-])(?P<day>\d{1,2})\.\s?(?P<number>\d{1,2})\.(?!\d)",
        r"(?<![\w./-])(?P<either>\d{1,2})/(?P<other>\d{1,2})/(?P<year>(?:1\d|20)?\d{2})(?![\w/])",
        r"(?<![\w./,-])(?P<either>\d{1,2})/(?P<other>\d{1,2})(?![\w/]|[.,]\d)",
        # "14-10-2025", and "14_10_2025" as names of files have it.
        r"(?<![\w./-])(?P<either>\d{1,2})(?P<between>[-_])(?P<other>\d{1,2})(?P=between)(?P<year>(?:1\d|20)\d{2})(?![\w/-])",
    )
)
_BETWEEN_NUMBERS = re.compile(r"\d[-./_]\s?\d")
"""This stands in every date of `_OF_NUMBERS`."""
_WITH_NAMES = tuple(
    re.compile(shape)
    for shape in (
        rf"(?<![\w.,:/-])(?P<day>\d{{1,2}})(?P<between>[-._/]?){_JOINED_MONTH}(?P=between){_SHORT_YEAR}",
        rf"(?<![\w.-])(?P<year>(?:1\d|20)\d{{2}})(?P<between>[-._/ ]){_JOINED_MONTH}(?P=between)(?P<day>\d{{1,2}})(?![\w-])",
        rf"(?<!\w){_JOINED_MONTH}(?P<between>[-._/])(?P<day>\d{{1,2}})(?P=between){_SHORT_YEAR}",
        rf"{_FIRST_DAY}{ORDINAL}\.?{TO}(?P<day>\d{{1,2}}){ORDINAL}\.?(?:\s(?:of|de))?\s{_MONTH}(?:(?:,|\sde|\sdel)?\s{_YEAR})?",
        rf"(?<!\w){_MONTH}\s(?P<first>\d{{1,2}})[-–](?P<day>\d{{1,2}})(?![\w.:-])(?:,?\s{_YEAR})?",
        # "14 Oct '25", and "14 Oct 25" at the end of a line.
        rf"{_DAY}\s{_MONTH},?\s['’](?P<year>\d{{2}})(?!\w)",
        rf"{_DAY}\s{_MONTH},?\s(?P<year>[0-4]\d)(?=\W{{0,3}}$)",
        rf"(?<!\w){_MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s['’](?P<year>\d{{2}})(?!\w)",
        rf"{_DAY}(?:\s(?:of|de))?\s{_MONTH}(?:(?:,|\sde|\sdel)?\s{_YEAR})?",
        rf"(?<!\w){_MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w.:-])(?:,?\s{_YEAR})?",
        rf"(?<!\w){_MONTH}(?:,|\sde|\sof)?\s{_YEAR}",
        rf"(?<!\w){_JOINED_MONTH}[-_/]{_YEAR}",
    )
)
_RUN = re.compile(rf"(?:{LETTER})+")
_WITH_SIGNS = tuple(
    re.compile(shape)
    for shape in (
        r"(?<!\d)(?P<year>\d{4})\s?年\s?(?P<number>\d{1,2})\s?月(?:\s?(?P<day>\d{1,2})\s?日)?",
        r"(?<!\d)(?P<year>\d{4})\s?년\s?(?P<number>\d{1,2})\s?월(?:\s?(?P<day>\d{1,2})\s?일)?",
    )
)
"""Dates with the signs for year, month and day."""
_WORD_BEFORE = re.compile(rf"(?<!\w)((?:{LETTER}){{1,12}})[.,]{{0,2}}\s{{1,2}}$")
_WORD_BEHIND = re.compile(rf"[.,]?\s{{1,2}}[(]?((?:{LETTER}){{2,12}})(?!\w)")
_LONGEST_BEFORE = 18
"""Characters before a date in which a weekday stands."""
_BEFORE_DAYS = frozenset("el del al le du au am vom zum bis dem den il dal".split())
"""Words of languages that write the day first."""


_BEFORE_DAYS_WITH_DOTS = frozenset("am vom zum bis ab seit le du au".split())
"""Words before a day such as "3.5.", in languages where 3.5 is no fraction."""
_BEGINS_LINE = re.compile(r"[\s\[(#*>_|-]{0,6}")
_TIME_OR_COLON = re.compile(r"\s?:\s|,?\s(?:um\s)?\d{1,2}(?:[:.]\d{2}(?![\w.])|\s?(?:Uhr|h)(?!\w))")
_I = re.compile(r"(?<!\w)I\s{1,2}$")
_THE = re.compile(r"(?<!\w)den\s{1,2}$")
_NUMBER_BEFORE_RANGE = re.compile(r"\d\.?\s{1,2}bis\s{1,2}$", re.IGNORECASE)


class SaidDate(NamedTuple):
    """A date in a text."""

    start: int
    end: int
    days: Days
    is_relative: bool
    """Whether the date is relative to the day of the text, such as "yesterday"."""


def said_dates(text: str, day: date | None) -> list[SaidDate]:
    """Returns the dates of a text, in the order in which they stand.

    Args:
        text: a sentence, a question or more.
        day: day on which the text was written. None: relative dates, and days without a year, are left out.
    """
    found = list(written_dates(text, day))
    if day:
        for relative in relative_dates(text):
            days = relative.meaning.seen_from(day)
            if days and not any(one.start < relative.end and relative.start < one.end for one in found):
                found.append(SaidDate(relative.start, relative.end, days, True))
    return sorted(found)


def written_dates(text: str, day: date | None, language: str = "", *, in_any_year: bool = False) -> Iterator[SaidDate]:
    """Yields the dates of a text that are not relative.

    Args:
        text: as in `said_dates`.
        day: as in `said_dates`.
        language: ISO 639-1 code; without one it is read from the text.
        in_any_year: whether `day` tells nothing of the text, and is there so that days without a year are found, "Fr 3.5."; a
            weekday beside them need not fit.
    """
    if not any(map(str.isdigit, text)):
        return
    taken: list[tuple[int, int]] = []
    for shape in _possible_shapes(text):
        for match in shape.finditer(text):
            start, end = match.span()
            if any(start < its_end and its_start < end for its_start, its_end in taken):
                continue
            if found := _days_at(match, _Seen(day, language, in_any_year), taken):
                taken.append((start, end))
                yield from found


class _Seen(NamedTuple):
    """How a text is read; see `written_dates`."""

    day: date | None
    language: str
    in_any_year: bool


def _days_at(match: re.Match[str], seen: _Seen, taken: list[tuple[int, int]]) -> tuple[SaidDate, ...]:
    """Returns the date of a place, or the first and the last day of "3-5 May"; none where it is no date."""
    parts = {part: value for part, value in match.groupdict().items() if value}
    if "either" in parts:
        days = _of_slashes(parts, match.string, match.span(), seen.day, seen.language)
    elif "number" in parts and "year" not in parts:
        days = _of_dots(parts, match.string, match.span(), seen, taken)
    else:
        days = _read(parts, seen.day)
    if not days or "first" not in parts:
        return (SaidDate(*match.span(), days, False),) if days else ()
    first = _first_day(parts, days)
    last = SaidDate(match.start("day"), match.end(), days, False)
    return (SaidDate(match.start(), match.end("first"), first, False), last) if first else ()


def _possible_shapes(text: str) -> Iterator[re.Pattern[str]]:
    """Yields the spellings that a text may have; to look for one takes longer than to see that it cannot be there."""
    if _BETWEEN_NUMBERS.search(text):
        yield from _OF_NUMBERS
    if any(len(run) > _LONGEST_NAME or run.casefold() in months() for run in _RUN.findall(text)):
        yield from _WITH_NAMES
    if "年" in text or "년" in text:
        yield from _WITH_SIGNS


def _read(parts: dict[str, str], day: date | None) -> Days | None:
    year = _year(parts)
    number = int(parts.get("day", 0))
    month = int(parts["number"]) if "number" in parts else _month(parts["month"], bool(year))
    if not month or (parts.get("day") and not number):
        return None
    if year:
        return Days.of(year, month, number)
    return _nearest(month, number, day) if day else None


def _first_day(parts: dict[str, str], last: Days) -> Days | None:
    """Returns the first day of "3-5 May 2025"; None where the days are not in order."""
    number, end = int(parts["first"]), last.first
    return Days.of(end.year, end.month, number) if 0 < number < end.day else None


def _month(name: str, has_year: bool) -> int:
    """Returns the number of the month with this name; 0 if there is none.

    Without a year, a name counts only in its usual case, and a short one only in English and German: "5 may" is rarely a date.
    """
    if has_year:
        return months().get(name.casefold(), 0)
    return full_months()[name.casefold()] if name in month_names() else 0


def _year(parts: dict[str, str]) -> int:
    year = int(parts.get("year", 0))
    return full_year(year) if len(parts.get("year", "")) == 2 else year


def _of_slashes(
    parts: dict[str, str], text: str, span: tuple[int, int], day: date | None, language: str
) -> Days | None:
    """Returns the day of "2/10/2025": by the weekday beside it, or as the language of the text has it.

    English has both orders, so there only one of the two numbers may be a month, or they are equal. Without a year, a word before
    it has to show that it is a day: "Thu 2/10", "el 2/10".
    """
    year, one, other = _year(parts), int(parts["either"]), int(parts["other"])
    before = _WORD_BEFORE.search(text, max(span[0] - _LONGEST_BEFORE, 0), span[0])
    word = before[1].casefold() if before else ""
    behind = _WORD_BEHIND.match(text, span[1]) if year and word not in weekday_numbers() else None
    if behind and behind[1].casefold() in weekday_numbers():
        word = behind[1].casefold()
    weekdays = weekday_numbers().get(word, frozenset())
    if not year and not (day and (weekdays or word in _BEFORE_DAYS)):
        return None
    # The first is the day.
    orders = [
        days
        for month, number in ((other, one), (one, other))
        if month
        and number
        and (days := Days.of(year, month, number) if year else _nearest(month, number, day or date.min))
    ]
    on_weekday = [days for days in orders if days.first.weekday() in weekdays]
    # "So 2/3 of them" has no German Sunday.
    likely = on_weekday or (orders if year or not weekdays else [])
    is_foreign = bool(weekdays) and word not in english_weekdays()
    is_day_first = is_foreign or word in _BEFORE_DAYS or (language or language_of(text)) != "en"
    if len(set(likely)) == 1 or (likely and is_day_first):
        return likely[0]
    return None


def _of_dots(
    parts: dict[str, str], text: str, span: tuple[int, int], seen: _Seen, taken: list[tuple[int, int]]
) -> Days | None:
    """Returns the day of "3.5." if a word shows it ("bis 3.5.", "Fr 3.5."), or if it begins a line with a time or colon behind it.

    The days of "3.-5.5." and "3. bis 5.5." need such a word, or begin a line. "Kapitel 3.4. bis 3.5." has no day, so the end of a
    range counts only behind a day, which is one of `taken`.
    """
    days = _read(parts, seen.day)
    first = _first_day(parts, days) if days and "first" in parts else days
    if not days or not first:
        return None
    the = _THE.search(text, max(span[0] - _LONGEST_BEFORE, 0), span[0])
    end = the.start() if the else span[0]
    before = _WORD_BEFORE.search(text, max(end - _LONGEST_BEFORE, 0), end)
    word = before[1].casefold() if before else ""
    if word in weekday_numbers():
        return days if seen.in_any_year or first.first.weekday() in weekday_numbers()[word] else None
    if before and not the and word in _BEFORE_DAYS_WITH_DOTS:
        if word == "am" and _I.search(text, max(before.start() - _LONGEST_BEFORE, 0), before.start()):
            return None
        is_range = _NUMBER_BEFORE_RANGE.search(text, max(span[0] - _LONGEST_BEFORE, 0), span[0])
        return days if not is_range or any(0 < end - is_range.start() <= 2 for _, end in taken) else None
    if not _BEGINS_LINE.fullmatch(text, 0, span[0]):
        return None
    return days if "first" in parts or _TIME_OR_COLON.match(text, span[1]) else None


def _nearest(month: int, number: int, day: date) -> Days | None:
    """Returns the day of a month in the year in which it is nearest to another day."""
    candidates = [Days.of(year, month, number) for year in (day.year - 1, day.year, day.year + 1)]
    near = [days for days in candidates if days and abs(days.first - day) <= _HALF_YEAR]
    return min(near, key=lambda days: abs(days.first - day), default=None)
