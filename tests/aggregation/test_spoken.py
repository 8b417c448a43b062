"""What somebody takes back while speaking is not asked, and courtesies are no part of a question."""

from __future__ import annotations

import pytest

from noderag_local.aggregation.spoken import as_meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("How far, no, wait, not how far, how often did I run in May, please?", "how often did I run in May?"),
        ("Er, where does, um, Ana Lee live, please?", "where does, Ana Lee live?"),
        ("Hello. It is about Kiln. Who wrote, no, sorry, who recommended it?", "It is about Kiln. who recommended it?"),
        ("Wie weit, nein, warte, wie oft bin ich im Mai gelaufen, bitte?", "wie oft bin ich im Mai gelaufen?"),
        ("Euh, où habite, non, attends, où travaille Léa ?", "où travaille Léa ?"),
        ("¿Dónde vive, no, espera, dónde trabaja Ana?", "dónde trabaja Ana?"),
    ],
)
def test_what_is_taken_back_is_left_out(said: str, meant: str) -> None:
    assert as_meant(said) == meant


@pytest.mark.parametrize(
    "question",
    [
        "Where does Ana Lee live?",
        "When did I last meet Ana? Not Anna.",
        "No, I mean in March.",
        "What does Ana, my sister, like, and why?",
        "Which recipes have no leeks, no onions and no garlic?",
        "Please list my tasks",
        "",
        "?",
    ],
)
def test_a_written_question_stays_as_it_is(question: str) -> None:
    assert as_meant(question) == question
