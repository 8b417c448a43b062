"""Questions with the words of what can be computed that ask for something else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.operation_cues import Operation
from noderag_local.aggregation.plan import plans

Compute = Callable[[str], Computed | None]


@pytest.mark.parametrize(
    "question",
    [
        "How often did I not swim in March?",
        "Wie oft war ich 2026 nicht laufen?",
        "¿Cuántas veces no nadé en marzo de 2026?",
        "When did I last not swim?",
        "How much did I spend at Eisen Ott without the lamp?",
        "Combien ai-je dépensé chez Eisen Ott sans lamp ?",
        "How much did I pay at Eisen Ott except in March?",
        "What did I buy besides the lamp at Eisen Ott?",
        "Which recipes use leeks or walnuts?",
        "How many recipes use leeks or walnuts?",
    ],
)
def test_what_is_denied_excepted_or_left_open_is_not_computed(compute: Compute, question: str) -> None:
    assert compute(question) is None


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("When was the concert cancelled?", Operation.WHEN),
        ("Wann wurde das Konzert abgesagt?", Operation.WHEN),
        ("How often was I in room no. 5?", Operation.COUNT),
        ("How often did I meet Will?", Operation.COUNT),
        ("How much did I spend on things I want to keep?", Operation.SUM),
        ("Combien de fois ai-je couru puis nagé en mars ?", Operation.COUNT),
    ],
)
def test_words_that_deny_a_note_or_name_a_thing_refuse_nothing(question: str, operation: Operation) -> None:
    assert operation in {plan.operation for plan in plans(question, date(2026, 6, 20))}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("I'm not sure how often I swam in March.", "3 times"),
        ("How often did I swim in March? I can't remember.", "3 times"),
        ("How often did I swim or go swimming in March?", "3 times"),
    ],
)
def test_words_that_deny_or_leave_nothing_open_are_no_hindrance(compute: Compute, question: str, answer: str) -> None:
    found = compute(question)
    assert found is not None
    assert [part.text for part in found.parts] == [answer]


@pytest.mark.parametrize(
    "question",
    [
        "How much time did I spend at Eisen Ott?",
        "How much can I still spend at Eisen Ott?",
        "How much should I pay at Eisen Ott?",
        "How much do I have left to spend at Eisen Ott?",
        "Wie viel kann ich bei Eisen Ott noch ausgeben?",
        "What should I buy at Eisen Ott?",
    ],
)
def test_what_is_still_to_be_spent_and_time_are_no_sum_of_what_was_paid(compute: Compute, question: str) -> None:
    assert compute(question) is None


def test_a_number_that_no_name_and_no_currency_makes_an_amount_is_no_price(tmp_path: Path) -> None:
    notes = {
        "service.csv": "date,service,km\n2026-01-05,tyres,45000\n",
        "garage.csv": "date,thing,hours,price\n2026-01-06,brakes,3,90\n",
        "shop.csv": "date,thing,pieces,for\n2026-01-07,bulbs,4,12 €\n",
    }
    with computing(indexed(tmp_path, notes), date(2026, 6, 20)) as compute:
        assert compute("How much did the tyres cost?") is None
        for question, answer in (("How much did the brakes cost?", "90"), ("How much did I pay for bulbs?", "12 EUR")):
            found = compute(question)
            assert found is not None
            assert found.parts[0].text == answer


@pytest.mark.parametrize(
    "question",
    [
        "How many people went swimming with me in March 2026?",
        "How many friends swimming in March 2026 did I see?",
        "How many of my friends like swimming?",
        "How many lengths did I do swimming in March 2026?",
        "How many swimming lengths did I do in March 2026?",
        "How many days since I last swam?",
        "How many days did I go without swimming in March 2026?",
        "How often a week did I swim in March 2026?",
        "Wie oft pro Woche war ich 2026 laufen?",
        "How many times per week did I swim?",
    ],
)
def test_other_things_than_times_and_rates_are_not_counted(compute: Compute, question: str) -> None:
    assert compute(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "How many of my swims were in March 2026?",
        "How many swimming sessions in March 2026?",
        "How many swims of mine were there in March 2026?",
    ],
)
def test_activities_are_counted(compute: Compute, question: str) -> None:
    found = compute(question)
    assert found is not None
    assert found.parts[0].text == "3 times"
