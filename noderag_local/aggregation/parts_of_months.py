"""Finds months in questions, and parts of them: "in March", "the first week of May", "end of June 2025"."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Collection, Iterator
from datetime import date
from functools import cache
from typing import NamedTuple

from noderag_local.text.dates.calendar_names import full_months
from noderag_local.text.dates.days import Days

LAST = -1
"""Stands for the last day of a month, or for a part that ends with it."""
_WEEKS = {
    (1, 7): "first|ersten?|première|primera",
    (8, 14): "second|zweiten?|deuxième|seconde|segunda",
    (15, 21): "third|dritten?|troisième|tercera",
    (22, 28): "fourth|vierten?|quatrième|cuarta",
    (LAST - 6, LAST): "last|letzten?|dernière|última",
}
"""(first day, last day) of each week of a month, and the words for it; "the first week of May" need not begin on a Monday."""
_TENS = {
    (1, 10): "early|(?:the )?(?:beginning|start) of|anfang|début|(?:a )?principios de|(?:a )?comienzos de",
    (11, 20): "mid|(?:the )?middle of|mitte|mi|(?:a )?mediados de",
    (21, LAST): "late|(?:the )?end of|ende|fin|(?:a )?finales de",
}
"""(first day, last day) of a beginning, middle and end of a month, and the words that stand before its name."""
_WEEK = r" (?:week|woche|semaine|semana)(?: (?:of|in|im|des|vom|de|en|d['’]))? ?"
_YEAR = r"(?:,? (?:of |de |del )?(?P<year>(?:19|20)\d{2}))?(?!\w)"

_ELIDED = re.compile(r"^d['’]")
"""Pattern of what French joins to the front of a month: "d'août"."""


class AskedMonth(NamedTuple):
    """A month, or a part of one, in a question."""

    start: int
    end: int
    month: int
    year: int
    """0 if the question does not tell it."""
    first: int
    """First day; negative ones count from the end of the month, which is -1."""
    last: int

    def in_year(self, year: int) -> Days:
        """Returns the days that are meant if the month is of a year."""
        length = calendar.monthrange(year, self.month)[1]
        first, last = (day if day > 0 else length + 1 + day for day in (self.first, self.last))
        return Days(date(year, self.month, first), date(year, self.month, last))

    def seen_from(self, today: date) -> Days:
        """Returns the days that are meant; a month without a year is the latest one that has begun."""
        return self.in_year(self.year or today.year - (self.month > today.month))


def parts_of_months(question: str) -> Iterator[AskedMonth]:
    """Yields the parts of months in a question, in its order."""
    for match in _pattern().finditer(question):
        name = next(of for of, days in _named_parts().items() if match[of])
        first, last = _named_parts()[name]
        yield AskedMonth(*match.span(), full_months()[match["month"].casefold()], int(match["year"] or 0), first, last)


def bare_months(
    question: str,
    before: Collection[str],
    word: re.Pattern[str],
    is_meant: Callable[[int, int], bool] = lambda start, end: False,
) -> Iterator[AskedMonth]:
    """Yields the months without a day or year that a word such as "in" stands before, or that stand apart: "August: how often …".

    Args:
        question: the question in the user's own words.
        before: casefolded words that stand before a month.
        word: finds the words of a question.
        is_meant: tells whether a name from one place to another is a month although none of these words stands before it.
    """
    last = ""
    for match in word.finditer(question):
        said = match[0].casefold()
        name = _ELIDED.sub("", said)
        month = full_months().get(name)
        place = (match.end() - len(name), match.end())
        if month and (last in before or name != said or _stands_apart(question, match) or is_meant(*place)):
            yield AskedMonth(*place, month, 0, 1, LAST)
        last = said


def _stands_apart(question: str, month: re.Match[str]) -> bool:
    """Whether a month is all that stands before the first comma or colon of a question, or behind the last one."""
    before, behind = question[: month.start()].rstrip(), question[month.end() :].lstrip()
    return (not before.strip("¿¡ ") and behind[:1] in (",", ":")) or (
        before[-1:] in (",", ":") and not behind.strip("?!. ")
    )


@cache
def _named_parts() -> dict[str, tuple[int, int]]:
    """Returns the name of each part in the pattern, with its days."""
    return {f"part{number}": days for number, days in enumerate((*_WEEKS, *_TENS))}


@cache
def _pattern() -> re.Pattern[str]:
    names = iter(_named_parts())
    weeks = "|".join(f"(?P<{next(names)}>{said})" for said in _WEEKS.values())
    tens = "|".join(f"(?P<{next(names)}>{said})" for said in _TENS.values())
    months = "|".join(sorted(map(re.escape, full_months()), key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:(?:{weeks}){_WEEK}|(?:{tens})[ -])(?P<month>{months}){_YEAR}", re.IGNORECASE)
