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
    """A question for an overview."""

    days: Days | None
    """Days that the overview is limited to; None for all."""


def overview_asked(question: str, today: date) -> AskedOverview | None:
    """Returns which overview a question asks for; None for a question that asks for one thing, such as who or when.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        today: day that "last week" in the question is seen from.
    """
    for language in languages_of(question):
        known = phrases(language)
        undated, days = without_dates(question, known, today)
        words = words_of(undated)
        is_lately = known.has("lately", words_of(question))
        if is_lately:
            # "The last few weeks" is a time of open length elsewhere.
            days.discard(None)
        # "qui" also stands in "qu'est-ce qui".
        one_thing = (known.single("asks_when") | known.single("asks_person") | known.single("where_words")) - {"qui"}
        if len(days) > 1 or None in days or not known.has("overview", words) or not one_thing.isdisjoint(words):
            continue
        lately = Days(today - timedelta(LATELY_DAYS), today) if is_lately else None
        return AskedOverview(next(iter(days), lately))
    return None
