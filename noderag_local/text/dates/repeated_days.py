"""Puts the recurrence rule of a calendar entry into words, and reads such words back to find the days of a period.

The vault stores readable words, "every 2 weeks on Monday, until 2024-12-31", instead of a rule of RFC 5545. Both directions are in
this module, so that they cannot drift apart.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from noderag_local.text.dates.days import Days

_EACH = {
    "SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week", "MONTHLY": "month",
    "YEARLY": "year",
}  # fmt: skip
_DAYS = {
    "MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday",
    "SU": "Sunday",
}  # fmt: skip
_MONTHS = "January February March April May June July August September October November December".split()
_ORDINALS = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last", "-2": "last but one"}
_MONTH_NUMBERS = frozenset(str(number) for number in range(1, 13))
_NOT_ON = ", not on "
MOST_EXCLUDED = 100
"""Maximum number of excluded days that the words name."""
LONGEST_COUNTED = timedelta(20 * 366)
"""Time after the start in which repetitions are counted, for a rule with a number of times."""

_WEEKDAYS = {name: number for number, name in enumerate(_DAYS.values())}
_ORDINAL_NUMBERS = {word: int(number) for number, word in _ORDINALS.items()}
_RULE = re.compile(
    r"every (?:(?P<interval>\d{1,4}) )?(?P<unit>day|week|month|year)s?"
    r"(?: on (?P<days>.+?))?(?: in (?P<months>[A-Z][a-z]+(?:(?:, | and )[A-Z][a-z]+)*))?"
    r"(?:, until (?P<until>\d{4}-\d{2}-\d{2}))?(?:, (?P<count>\d{1,4}) times)?(?:, not on (?P<not_on>.+))?"
)
_BETWEEN = re.compile(r", | and ")
_MONTH_DAY = re.compile(r"day (-?\d{1,2})")
_NTH_DAY = re.compile(r"the (.+) (\w+)")


def rule_in_words(rule: Mapping[str, Any], excluded: Sequence[date] = ()) -> str:
    """Returns a recurrence rule in words: "every 2 weeks on Monday and Friday, until 2024-12-31, not on 2024-06-03".

    Args:
        rule: RRULE of RFC 5545 as lists of values by name. Unknown parts are ignored.
        excluded: days on which the entry is not repeated.
    """
    frequency = _EACH.get(_first(rule, "FREQ").upper(), "")
    if not frequency:
        return ""
    interval = _first(rule, "INTERVAL")
    words = f"every {frequency}" if interval in ("", "1") else f"every {interval} {frequency}s"
    positions = [str(position) for position in _values(rule, "BYSETPOS")]
    if nth := _nth_weekday(rule):
        days, positions = [_day(nth)], []
    else:
        days = [_day(str(day)) for day in _values(rule, "BYDAY")]
    days += [f"day {day}" for day in map(str, _values(rule, "BYMONTHDAY"))]
    if days:
        words += f" on {_joined(days)}"
    months = [_MONTHS[int(month) - 1] for month in map(str, _values(rule, "BYMONTH")) if month in _MONTH_NUMBERS]
    if months:
        words += f" in {_joined(months)}"
    if positions:
        words += f", only the {_joined([_ORDINALS.get(position, position) for position in positions])} of these"
    until = next(iter(_values(rule, "UNTIL")), None)
    if isinstance(until, date):
        words += f", until {until:%Y-%m-%d}"
    count = _first(rule, "COUNT")
    words += f", {count} times" if count else ""
    left_out = [f"{day:%Y-%m-%d}" for day in excluded[:MOST_EXCLUDED]]
    return f"{words}{_NOT_ON}{_joined(left_out)}" if left_out else words


def repeated_days(words: str, start: date, first: date, last: date) -> list[date]:
    """Returns the days of a period on which an entry is repeated.

    Each day is checked by itself, so that a rule that fits no day takes no longer than others.

    Args:
        words: rule as `rule_in_words` writes it; for any other text, only the start is returned.
        start: first day of the entry.
        first: first day of the period.
        last: last day of the period, included.
    """
    if start > last:
        return []
    match = _RULE.fullmatch(words)
    rule = _Rule.read(match, start) if match else None
    if rule is None:
        return [start] if start >= first else []
    days = [day for day in Days(max(first, start), min(last, rule.until)).each() if rule.fits(day)]
    if rule.times:
        # The number of times is counted from the start of the entry.
        earlier = Days(start, min(start + LONGEST_COUNTED, max(first, start))).each()
        left = rule.times - sum(rule.fits(day) for day in earlier if day < first)
        days = days[: max(left, 0)]
    return [day for day in days if day.isoformat() not in rule.excluded]


class _Rule(NamedTuple):
    """A recurrence rule that was read from words."""

    start: date
    unit: str
    interval: int
    weekdays: tuple[tuple[int, int], ...]
    """(number of the weekday in its month or year, or 0 for every one; weekday, 0 for Monday)"""
    month_days: tuple[int, ...]
    months: tuple[int, ...]
    until: date
    times: int
    """Number of times; 0 for no limit."""
    excluded: frozenset[str]

    @classmethod
    def read(cls, match: re.Match[str], start: date) -> _Rule | None:
        """Reads a rule; returns None for words that `rule_in_words` does not write."""
        weekdays, month_days = [], []
        for day in filter(None, _BETWEEN.split(match["days"] or "")):
            if number := _MONTH_DAY.fullmatch(day):
                month_days.append(int(number[1]))
            elif weekday := _weekday(day):
                weekdays.append(weekday)
            else:
                return None
        months = [month for month in _BETWEEN.split(match["months"] or "") if month]
        try:
            until = date.fromisoformat(match["until"]) if match["until"] else date.max
            numbers = tuple(_MONTHS.index(month) + 1 for month in months)
        except ValueError:
            return None
        interval = max(int(match["interval"] or 1), 1)
        excluded = frozenset(_BETWEEN.split(match["not_on"] or ""))
        return cls(
            start, match["unit"], interval, tuple(weekdays), tuple(month_days), numbers, until, int(match["count"] or 0), excluded
        )  # fmt: skip

    def fits(self, day: date) -> bool:
        """Returns whether the rule names a day that is not before the start; ignores the number of times and excluded days."""
        if self.months and day.month not in self.months:
            return False
        if self.month_days and not {day.day, day.day - _length(day) - 1} & set(self.month_days):
            return False
        return self._is_in_turn(day) and self._is_named_day(day)

    def _is_in_turn(self, day: date) -> bool:
        start = self.start
        match self.unit:
            case "day":
                passed = (day - start).days
            case "week":
                passed = (day - start + timedelta(start.weekday())).days // 7
            case "month":
                passed = 12 * (day.year - start.year) + day.month - start.month
            case _:
                passed = day.year - start.year
        return passed % self.interval == 0

    def _is_named_day(self, day: date) -> bool:
        """Returns whether the rule names a day; a rule without days repeats the day of the start."""
        if self.weekdays:
            return any(day.weekday() == weekday and self._is_nth(day, which) for which, weekday in self.weekdays)
        if self.month_days or self.unit == "day":
            return True
        if self.unit == "week":
            return day.weekday() == self.start.weekday()
        is_same_month = self.unit == "month" or bool(self.months) or day.month == self.start.month
        return is_same_month and day.day == self.start.day

    def _is_nth(self, day: date, which: int) -> bool:
        if not which or self.unit in ("day", "week"):
            return True
        is_of_year = self.unit == "year" and not self.months
        at = day.timetuple().tm_yday if is_of_year else day.day
        length = (date(day.year, 12, 31).timetuple().tm_yday if is_of_year else _length(day)) - at
        return (at - 1) // 7 + 1 == which if which > 0 else length // 7 + 1 == -which


def _length(day: date) -> int:
    return monthrange(day.year, day.month)[1]


def _weekday(words: str) -> tuple[int, int] | None:
    """Returns (0, 0) for "Monday" and (-1, 4) for "the last Friday"; None for anything else."""
    nth = _NTH_DAY.fullmatch(words)
    which, name = (_ORDINAL_NUMBERS.get(nth[1]), nth[2]) if nth else (0, words)
    weekday = _WEEKDAYS.get(name)
    return None if which is None or weekday is None else (which, weekday)


def _values(rule: Mapping[str, Any], name: str) -> list[Any]:
    value = rule.get(name, [])
    return value if isinstance(value, list) else [value]


def _first(rule: Mapping[str, Any], name: str) -> str:
    return next((str(value) for value in _values(rule, name)), "")


def _day(code: str) -> str:
    """Returns a day of a rule in words: "the last Friday" for -1FR."""
    name = _DAYS.get(code[-2:].upper(), code)
    which = _ORDINALS.get(code[:-2].removeprefix("+"), "")
    return f"the {which} {name}" if which else name


def _nth_weekday(rule: Mapping[str, Any]) -> str:
    """Returns "2TH" for the Thursdays of a month or year of which the second is chosen; "" for any other choice of days."""
    days, positions = _values(rule, "BYDAY"), [str(position) for position in _values(rule, "BYSETPOS")]
    is_of_one_span = _first(rule, "FREQ").upper() == "MONTHLY" or (
        _first(rule, "FREQ").upper() == "YEARLY" and len(_values(rule, "BYMONTH")) <= 1
    )
    is_simple = len(days) == len(positions) == 1 and str(days[0]).upper() in _DAYS and positions[0] in _ORDINALS
    others = any(_values(rule, name) for name in ("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"))
    return f"{positions[0]}{days[0]}" if is_simple and is_of_one_span and not others else ""


def _joined(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
