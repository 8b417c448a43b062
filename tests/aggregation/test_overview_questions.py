"""Which questions ask for an overview, and of which days."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from noderag_local.aggregation.overview_questions import LATELY_DAYS, AskedOverview, overview_asked
from noderag_local.text.dates.days import Days

TODAY = date(2026, 11, 22)
OCTOBER = Days(date(2026, 10, 1), date(2026, 10, 31))


@pytest.mark.parametrize(
    "question",
    [
        "What worried me in October?",
        "Give me a summary of October 2026",
        "Was hat mich im Oktober beschäftigt?",
        "Qu'est-ce qui m'a inquiété en octobre ?",
        "¿Qué me preocupó en octubre?",
    ],
)
def test_an_overview_of_a_time(question: str) -> None:
    assert overview_asked(question, TODAY) == AskedOverview(OCTOBER)


def test_an_overview_of_a_year() -> None:
    whole_year = Days(date(2025, 1, 1), date(2025, 12, 31))
    assert overview_asked("What worried me in 2025?", TODAY) == AskedOverview(whole_year)


def test_lately_is_the_last_weeks() -> None:
    asked = overview_asked("What have I been worrying about lately?", TODAY)
    assert asked is not None and asked.days is not None
    assert (asked.days.last, (TODAY - asked.days.first).days) == (TODAY, LATELY_DAYS)


@pytest.mark.parametrize(
    "question",
    ["Summarise my notes about the allotment", "How did the move go?", "Fasse zusammen, was zum Garten dasteht"],
)
def test_an_overview_of_a_theme(question: str) -> None:
    assert overview_asked(question, TODAY) == AskedOverview(None)


@pytest.mark.parametrize(
    "question",
    [
        "Who was worried about condensation?",
        "What did Tobias recommend to me?",
        "Which book did I lend to Ana in October?",
        "Where is the summary that Ana sent?",
        "When did the project start?",
        "Was kostet der Strom?",
        "Was kostet mich der Strom?",
        "¿Qué me recomendó Tobias?",
        "When is the recap?",
        "Who wrote a summary of Kiln?",
        "Where is an overview of the costs?",
    ],
)
def test_one_thing_is_no_overview(question: str) -> None:
    assert overview_asked(question, TODAY) is None


@pytest.mark.parametrize(
    "question",
    [
        "What worried me in the last few weeks?",
        "Was hat mich in den letzten Wochen beschäftigt?",
        "Qu'est-ce qui m'a préoccupé ces dernières semaines ?",
        "¿Qué me preocupó en las últimas semanas?",
    ],
)
def test_the_last_weeks_are_those_of_lately(question: str) -> None:
    assert overview_asked(question, TODAY) == AskedOverview(Days(TODAY - timedelta(LATELY_DAYS), TODAY))
