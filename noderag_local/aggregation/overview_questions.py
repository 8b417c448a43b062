"""Recognises questions that ask for an overview of a time or a theme: "What worried me in October?", "Sum up the move"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from noderag_local.aggregation.question_content import languages_of, without_dates
from noderag_local.aggregation.question_phrases import phrases, words_of
from noderag_local.text.dates.days import Days

LATELY_DAYS = 42
"""Days that "lately" reaches back."""


@dataclass(frozen=True, slots=True)
class AskedOverview:
    """What an overview is asked of."""

    days: Days | None
    """Days that the question limits itself to; None for all."""


def overview_asked(question: str, today: date) -> AskedOverview | None:
    """Returns what a question asks an overview of; None for a question that asks for something else.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        today: day that "last week" in the question is seen from.
    """
    for language in languages_of(question):
        known = phrases(language)
        undated, days = without_dates(question, known, today)
        words = words_of(undated)
        if len(days) > 1 or not known.has("overview", words):
            continue
        lately = Days(today - timedelta(LATELY_DAYS), today) if known.has("lately", words) else None
        return AskedOverview(next(iter(days), lately))
    return None
