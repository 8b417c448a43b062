"""Questions about the last weeks up to today, and about the last of several things."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.question_content import with_days, without_dates
from noderag_local.aggregation.question_phrases import phrases

TODAY = date(2026, 5, 31)

NOTES = {
    "runs.csv": "date,distance_km\n2026-02-01,15\n2026-05-03,10.4\n2026-05-27,3.1\n2026-05-30,5.2\n",
    "spending.csv": "date,item,shop,amount_eur\n2026-02-01,nails,Soto,4.50\n2026-05-20,lamp,Soto,31\n",
}


@pytest.fixture(scope="module")
def compute(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Computed | None]]:
    with computing(indexed(tmp_path_factory.mktemp("runs"), NOTES), TODAY) as compute:
        yield compute


@pytest.mark.parametrize(
    ("language", "question", "days"),
    [
        ("en", "How often did I swim in the last month?", ["2026-05"]),
        ("en", "How often did I swim over the past three weeks?", ["2026-05-11 to 2026-05-31"]),
        ("de", "Wie oft war ich in den letzten 20 Tagen laufen?", ["2026-05-12 to 2026-05-31"]),
        ("de", "Wie oft war ich in der letzten Woche laufen?", ["2026-05-25 to 2026-05-31"]),
        ("fr", "Combien de fois ai-je couru ces trois derniers mois ?", ["2026-03-01 to 2026-05-31"]),
        ("fr", "Combien de fois ai-je couru au cours du dernier mois ?", ["2026-05"]),
        ("es", "¿Cuántas veces corrí en el último año?", ["2025-06-01 to 2026-05-31"]),
        ("es", "¿Cuántas veces corrí en los últimos 20 días?", ["2026-05-12 to 2026-05-31"]),
        # Nothing tells how long these are, or when.
        ("en", "How often did I swim in the last few weeks?", ["None"]),
        ("en", "How often did I swim in the last week of the course?", ["None"]),
        ("de", "Wie oft war ich in den letzten Wochen laufen?", ["None"]),
        ("fr", "Combien de fois ai-je couru ces derniers mois ?", ["None"]),
        ("es", "¿Cuántas veces corrí en las últimas semanas?", ["None"]),
        ("en", "How often did I swim last month?", ["2026-04"]),
        ("en", "What did I read in the last week of May?", ["2026-05-25 to 2026-05-31"]),
        ("en", "When was the last day I swam?", []),
    ],
)
def test_a_time_up_to_today_is_counted_back_from_it(language: str, question: str, days: list[str]) -> None:
    assert [str(one) for one in without_dates(question, phrases(language), TODAY)[1]] == days


def test_a_model_is_told_its_days() -> None:
    told = with_days("What did I do in the last week?", TODAY)
    assert told == "What did I do in the last week (2026-05-25 to 2026-05-31)?"
    assert with_days("What did I do in the last few weeks?", TODAY) == "What did I do in the last few weeks?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many km did I run in the last month?", "18.7 km"),
        ("How many km did I run over the last week?", "8.3 km"),
        ("Wie viele km bin ich in den letzten zwei Wochen gelaufen?", "8.3 km"),
        ("What was my longest run in the last week?", "5.2 km (date: 2026-05-30)"),
        ("How much did I spend at Soto in the last month?", "31 EUR"),
    ],
)
def test_a_time_up_to_today_is_computed(compute: Callable[[str], Computed | None], question: str, answer: str) -> None:
    found = compute(question)
    assert found is not None and [part.text for part in found.parts] == [answer]


@pytest.mark.parametrize(
    "question",
    [
        "How far was my last run?",
        "How far was my first run?",
        "How many km did I run in the last few weeks?",
        "What is the average distance of my last three runs?",
        "Wie weit bin ich zuletzt gelaufen?",
        "Combien de km ai-je couru la dernière fois ?",
        "¿Cuántos km corrí la última vez?",
        "How much did I spend on my last visit to Soto?",
    ],
)
def test_one_of_several_things_is_not_told_by_all(compute: Callable[[str], Computed | None], question: str) -> None:
    assert compute(question) is None
