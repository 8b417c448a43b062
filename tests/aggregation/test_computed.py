"""Questions about many notes, each with what is computed for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from noderag_local.aggregation.computed import Computed

Compute = Callable[[str], Computed | None]


def texts(found: Computed | None) -> list[str]:
    assert found is not None
    return [part.text for part in found.parts]


def paths(found: Computed | None) -> list[str]:
    assert found is not None
    return [entry.sentence.path.rpartition("/")[2] for part in found.parts for entry in part.entries]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # 9 March denies it, and 17 March plans another one for the next day.
        ("How many times did I go swimming in March 2026?", "3 times"),
        ("How often did I swim in March?", "3 times"),
        ("On how many days did I go swimming in April 2026?", "0 times"),
        ("How often did I meet Ilse Hagen in March 2026?", "2 times"),
        ("How many times did I see Ilse this year?", "2 times"),
        ("Wie oft war ich im Januar 2026 laufen?", "2 Mal"),
        ("How much did I spend at Eisen Ott altogether?", "47.75 EUR"),
        ("How much did I pay at Eisen Ott in March?", "35.50 EUR"),
        ("What was the total of my purchases at Eisen Ott?", "47.75 EUR"),
        ("How much did the lamp cost?", "31 EUR"),
        ("When did I arrive in Tarvisio?", "12 May 2026"),
        ("When did I last meet Ilse?", "16 March 2026"),
        ("When was the first time I saw Ilse this year?", "2 March 2026"),
        ("When did I meet Bruno?", "16 March 2026"),
        ("¿Cuándo llegué a Lugo?", "8 de febrero de 2026"),
        ("Quand ai-je couru au parc ?", "3 février 2026"),
        ("Which did I finish first, Salt Roads or The Long Dune?", "Salt Roads"),
        ("Which did I finish later, Salt Roads or The Long Dune?", "The Long Dune"),
        ("Did I finish The Long Dune before Salt Roads?", "Salt Roads"),
        ("What is the deadline of project Weir now?", "Deadline moved to 3 July 2026"),
        ("Until when do we have to finish project Weir?", "Deadline moved to 3 July 2026"),
        ("Where will the meeting of project Weir take place?", "Venue: the library"),
        ("How many recipes use leeks?", "2"),
        ("What did we decide on 10 February 2026 about project Weir?", "On the tiles we decided to wait."),
        ("At the Weir meeting on 10 April 2026, what was decided?", "On the tiles we decided to buy the grey ones."),
    ],
)
def test_one_answer(compute: Compute, question: str, answer: str) -> None:
    assert texts(compute(question)) == [answer]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which recipes use leeks?", ["Borscht", "Winter pie"]),
        ("List all recipes with leeks and walnuts.", ["Winter pie"]),
        ("Which books did I finish this year?", ["Salt Roads", "The Long Dune"]),
        ("Which books have I lent to somebody?", ["Salt Roads"]),
        ("What books did I lend out?", ["Salt Roads"]),
        ("Who works on project Weir?", ["Ilse Hagen", "Bruno Pohl", "me"]),
        ("Which tasks are still open?", ["call the roofer", "return Bruno's ladder", "find the receipts"]),
        ("What is still open for the tax?", ["find the receipts"]),
        ("What did I do the day before I arrived in Tarvisio?", ["Bought a map."]),
        ("What did I do on the day before I left for Tarvisio?", ["Bought a map."]),
        ("What did I do yesterday?", ["Painted the gate.", "Bread with rye."]),
        (
            "What is planned next week?",
            ["2026-06-24: Dentist on 24 June 2026 at 8:15.", "2026-06-26: Concert on 26 June 2026."],
        ),
    ],
)
def test_several_answers(compute: Compute, question: str, answers: list[str]) -> None:
    assert texts(compute(question)) == answers


@pytest.mark.parametrize(
    "question",
    [
        # Nothing is computed from what the notes do not tell, or what needs to be read and understood.
        "What is Ilse's shoe size?",
        "Where does Ilse live?",
        "How often should I water the plants?",
        "How often did I meet Ottilie in March 2026?",
        "When did Ilse move to the canal?",
        "When does the lease end?",
        "How much did the soap cost?",
        "Which did I finish first, Kiln or Salt Roads?",
        "Which recipes use saffron?",
        "What does Ilse like about Salt Roads?",
        "What did Ilse do yesterday?",
        "What did Ilse write on 9 March 2026?",
        "Who is Ilse?",
        "Warum war das Becken geschlossen?",
        "",
        "?",
    ],
)
def test_other_questions_are_left_to_the_search(compute: Compute, question: str) -> None:
    assert compute(question) is None


def test_every_part_rests_on_the_sentences_that_say_it(compute: Compute) -> None:
    assert paths(compute("How many times did I go swimming in March 2026?")) == [
        "2026-03-02.md",
        "2026-03-16.md",
        "2026-03-17.md",
    ]
    assert paths(compute("Which books have I lent to somebody?")) == ["2026-04-05.md"]
    assert paths(compute("Which tasks are still open?")) == ["todo.md"] * 3


def test_the_note_says_what_was_left_out(compute: Compute) -> None:
    found = compute("How many times did I go swimming in March 2026?")
    assert found is not None
    assert "Left out: 2 sentences" in found.note


def test_the_same_question_has_the_same_answer(compute: Compute) -> None:
    question = "Which recipes use leeks?"
    assert compute(question) == compute(question)
