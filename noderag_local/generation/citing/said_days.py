"""Writes out what a source leaves to those who know it: the days that relative dates mean, and who speaks in a conversation.

So an answer is held against the day and not against "yesterday", and against Ana's "I" and not against anybody's.
"""

from __future__ import annotations

from functools import cache

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.support.unspaced import is_unspaced
from noderag_local.text.dates.calendar_names import full_months, weekdays
from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.dates.days import Days
from noderag_local.text.languages import KNOWN_LANGUAGES


def written_out(source: Source) -> str:
    """Returns the text of a source with the days behind each of its relative dates: "yesterday 2023-05-07 we sailed".

    Each sentence of a conversation has a line of its own, which begins with the speaker: "Ana: I sailed".
    """
    text, unspaced = source.text, is_unspaced(source.text)
    days = ((end, f" {_written(Days.read(said), unspaced)}") for end, said in source.days)
    turns = ((start, _speaker(text[start:], name)) for start, name in source.turns)
    for at, more in sorted((*days, *turns), reverse=True):
        text = f"{text[:at]}{more}{text[at:]}"
    return text


def _speaker(sentence: str, name: str) -> str:
    """Returns what goes before a sentence of a conversation; it may begin with its speaker already."""
    return "\n" if sentence.startswith(name) else f"\n{name}: "


def without_weekdays(sentence: str) -> str:
    """Returns a sentence of an answer without weekdays that only repeat a date: "Sunday, 7 May 2023" says no more than "7 May 2023"."""
    for said in sorted(written_dates(sentence, None), reverse=True):
        before = sentence[: said.start].rstrip(" ,")
        weekday = before[before.rfind(" ") + 1 :]
        if said.days.length == 1 and _weekdays().get(weekday.casefold()) == said.days.first.weekday():
            sentence = before[: len(before) - len(weekday)] + sentence[said.start :]
    return sentence


def _written(days: Days, unspaced: bool) -> str:
    """A period as its first and last day, a month by its name, and all as the languages without spaces write dates."""
    first, last = days
    if days == Days.of(first.year):
        return f"{first.year}年" if unspaced else str(first.year)
    if days == Days.of(first.year, first.month):
        return f"{first.year}年{first.month}月" if unspaced else f"{_month_name(first.month)} {first.year}"
    ends = dict.fromkeys((first, last))
    return " ".join(f"{day.year}年{day.month}月{day.day}日" if unspaced else str(day) for day in ends)


def _month_name(month: int) -> str:
    """The first of the names of a month, which is understood in every language."""
    return next(name for name, number in full_months().items() if number == month)


@cache
def _weekdays() -> dict[str, int]:
    """Returns the number of the weekday, Monday being 0, by its casefolded name in any language."""
    return {name: number for language in KNOWN_LANGUAGES for name, number in weekdays(language).items()}
