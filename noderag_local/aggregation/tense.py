"""Tells whether a question is about what was or about what will be, since a day without a year may be either."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from enum import Enum, auto

from noderag_local.aggregation.asked_day_words import day_pattern, day_phrases
from noderag_local.aggregation.question_phrases import words_of
from noderag_local.text.dates.dates_in_text import SaidDate, said_dates, written_dates
from noderag_local.text.dates.days import Days, same_day

_DATE = "0"
"""Stands for a date, so that "vor dem 10. März" does not end with "vor"."""


class Tense(Enum):
    """The time that a question is about."""

    PAST = auto()
    AHEAD = auto()
    UNTOLD = auto()
    """The words of the question do not tell, or tell both: "What was planned?"."""


def tense_of(question: str, dates: Sequence[tuple[int, int]], language: str) -> Tense:
    """Returns the time that a question is about.

    Args:
        question: the question in the user's own words.
        dates: where its dates begin and end, in order; their words tell nothing.
        language: ISO 639-1 code of its language.
    """
    words = words_of(without_spans(question, dates, _DATE))
    is_past = tells_of_past(words, language)
    is_ahead = _has("ahead", words, language) or tuple(words[-1:]) in day_phrases(language, "ahead_at_end")
    if is_past == is_ahead:
        return Tense.UNTOLD
    return Tense.PAST if is_past else Tense.AHEAD


def without_spans(question: str, spans: Sequence[tuple[int, int]], instead: str = "") -> str:
    """Returns a question without some spans.

    Args:
        question: the question.
        spans: where they begin and end, in order.
        instead: stands in place of each, between spaces.
    """
    between = f" {instead} " if instead else " "
    for start, end in reversed(spans):
        question = question[:start] + between + question[end:]
    return question


def tells_of_past(words: Sequence[str], language: str) -> bool:
    """Returns whether words of a question ask about what was.

    Args:
        words: casefolded words.
        language: ISO 639-1 code of their language.
    """
    # "Was ist geplant?" is about what will be.
    told = (word for word in words if (word,) not in day_phrases(language, "ahead"))
    is_perfect = _has("perfect", words, language) and any(
        re.fullmatch(day_pattern(language, "participle"), word) for word in told
    )
    return is_perfect or _has("past", words, language)


def asked_dates(
    question: str, language: str, today: date, opens: Callable[[int, int], bool] = lambda start, end: False
) -> list[SaidDate]:
    """Returns the dates of a question; a day without a year is the latest in a question about the past, else the next or nearest.

    Args:
        question: the question in the user's own words.
        language: ISO 639-1 code of its language.
        today: day on which it is asked.
        opens: tells whether "since", "before" or the like stands at a date; if the tense is not told, it is the latest then.
    """
    found = said_dates(question, today)
    with_year = {(one.start, one.end) for one in written_dates(question, None)}
    if all(one.is_relative or (one.start, one.end) in with_year for one in found):
        return found
    tense = tense_of(question, [(one.start, one.end) for one in found], language)
    dated = []
    for one in found:
        if not (one.is_relative or (one.start, one.end) in with_year):
            is_past = tense is Tense.UNTOLD and opens(one.start, one.end)
            one = one._replace(days=_of(one.days, Tense.PAST if is_past else tense, today))
        dated.append(one)
    return dated


def _of(days: Days, tense: Tense, today: date) -> Days:
    """The same day of the year that a tense asks for; the same year for a 29th of February that this one does not have."""
    if tense is Tense.PAST and days.first > today:
        year = days.first.year - 1
    elif tense is Tense.AHEAD and days.first < today:
        year = days.first.year + 1
    else:
        return days
    moved = same_day(days.first, year)
    return Days(moved, moved) if moved else days


def _has(key: str, words: Sequence[str], language: str) -> bool:
    text = f" {' '.join(words)} "
    return any(f" {' '.join(phrase)} " in text for phrase in day_phrases(language, key))
