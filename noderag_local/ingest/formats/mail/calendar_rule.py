"""Puts rules of repetition in a calendar into words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

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


def rule_in_words(rule: Mapping[str, Any]) -> str:
    """Returns a rule of repetition in words: "every 2 weeks on Monday and Friday, until 2024-12-31".

    Args:
        rule: an RRULE of RFC 5545: lists of values by name. What is unknown in it is passed over.
    """
    frequency = _EACH.get(_first(rule, "FREQ").upper(), "")
    if not frequency:
        return ""
    interval = _first(rule, "INTERVAL")
    told = f"every {frequency}" if interval in ("", "1") else f"every {interval} {frequency}s"
    days = [_day(str(day)) for day in _values(rule, "BYDAY")]
    days += [f"day {day}" for day in map(str, _values(rule, "BYMONTHDAY"))]
    if days:
        told += f" on {_joined(days)}"
    months = [_MONTHS[int(month) - 1] for month in map(str, _values(rule, "BYMONTH")) if month in _MONTH_NUMBERS]
    if months:
        told += f" in {_joined(months)}"
    until = next(iter(_values(rule, "UNTIL")), None)
    if isinstance(until, date):
        told += f", until {until:%Y-%m-%d}"
    count = _first(rule, "COUNT")
    return f"{told}, {count} times" if count else told


_MONTH_NUMBERS = frozenset(str(number) for number in range(1, 13))


def _values(rule: Mapping[str, Any], name: str) -> list[Any]:
    value = rule.get(name, [])
    return value if isinstance(value, list) else [value]


def _first(rule: Mapping[str, Any], name: str) -> str:
    return next((str(value) for value in _values(rule, name)), "")


def _day(code: str) -> str:
    """ "the last Friday" for -1FR."""
    name = _DAYS.get(code[-2:].upper(), code)
    which = _ORDINALS.get(code[:-2].removeprefix("+"), "")
    return f"the {which} {name}" if which else name


def _joined(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
