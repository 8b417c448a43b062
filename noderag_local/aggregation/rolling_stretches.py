"""Finds the times up to today in questions: "in the last month", "over the past 30 days"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from noderag_local.aggregation.asked_day_words import any_phrase, day_phrases
from noderag_local.aggregation.open_stretches import AskedDays
from noderag_local.text.dates.days import Days
from noderag_local.text.number_words import small_numbers


def rolling_stretches(question: str, language: str, today: date) -> Iterator[AskedDays]:
    """Yields the times up to today in a question, in its order; without days where it leaves open how long they are.

    Args:
        question: the question in the user's own words.
        language: ISO 639-1 code of its language.
        today: day on which it is asked.
    """
    for match in _pattern(language).finditer(question):
        last, unit = match["last"].casefold(), match["unit"].casefold()
        is_single = (last,) not in day_phrases(language, "several") and (unit,) not in day_phrases(language, "several")
        number = match["number"] or match["another"] or ""
        if not (match["during"] or match["the"] or number) or (
            is_single and not match["during"] and _is_day(unit, language)
        ):
            # "The last day" is one of a course or stay.
            continue
        steps = _steps(number, language) if number else int(is_single and bool(match["during"]))
        first = None if match["behind"] or not steps else _first(today, unit, steps, language)
        yield AskedDays(match.start("time"), match.end("time"), Days(first, today) if first else None)


def _steps(number: str, language: str) -> int:
    """The number; 0 for "a few"."""
    return int(number) if number.isdecimal() else small_numbers(language).get(number.casefold(), 0)


def _is_day(unit: str, language: str) -> bool:
    return (unit,) in day_phrases(language, "day")


def _first(today: date, unit: str, steps: int, language: str) -> date | None:
    """Returns the first day of so many units that end today; None for a unit of unclear length."""
    kind = next((kind for kind in ("day", "week", "month", "year") if (unit,) in day_phrases(language, kind)), "")
    if kind in ("day", "week"):
        return today - timedelta(steps * (7 if kind == "week" else 1) - 1)
    months = 12 * today.year + today.month - 1 - steps * (12 if kind == "year" else 1)
    month = Days.of(months // 12, months % 12 + 1) if kind else None
    return month and min(month.last, month.first + timedelta(today.day - 1)) + timedelta(1)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    during, the, last, few, behind = (any_phrase(language, key) for key in ("during", "the", "last", "few", "behind"))
    number = rf"\d{{1,3}}|{few}|{'|'.join(small_numbers(language))}"
    units = any_phrase(language, "day", "week", "month", "year", "vague")
    return re.compile(
        rf"(?<![\w'’-])(?P<time>(?:(?P<during>{during})\s+)?(?:(?P<the>{the})\s+)?"
        rf"(?:(?P<number>{number})\s+)?(?P<last>{last})\s+(?:(?P<another>{number})\s+)?(?P<unit>{units}))"
        rf"(?![\w'’-])(?P<behind>\s+(?:{behind})(?!\w))?",
        re.IGNORECASE,
    )
