"""Questions with the words of what can be computed that ask for something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from noderag_local.aggregation.computed import Computed

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
