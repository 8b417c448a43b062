"""Which way something was lent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import pytest
from helpers.computed_answers import computing, indexed

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.loan_ways import LoanWay, loan_way

Compute = Callable[[str], Computed | None]
NOTES = {
    "Books/Salt Roads.md": "# Salt Roads\n\nA slow start.\n",
    "Books/Kiln.md": "# Kiln\n\nGood maps.\n",
    "People/Ana Lee.md": "# Ana Lee\n\nA roofer.\n",
    "People/Bruno Pohl.md": "# Bruno Pohl\n\nA potter.\n",
    "Daily/2026-04-05.md": "# 5 April 2026\n\nLent Salt Roads to Bruno Pohl.\n",
    "Daily/2026-04-06.md": "# 6 April 2026\n\nBruno Pohl lent me Kiln.\n\nAna Lee lent me the drill.\n",
}


@pytest.fixture(scope="module")
def lent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compute]:
    """Computes the answer to a question about loans in both directions."""
    with computing(indexed(tmp_path_factory.mktemp("loans"), NOTES), date(2026, 6, 20)) as compute:
        yield compute


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which books did Bruno Pohl lend me?", "Kiln"),
        ("Which books did I lend to Bruno Pohl?", "Salt Roads"),
        ("Welche Bücher hat mir Bruno Pohl geliehen?", "Kiln"),
        ("Welche Bücher habe ich an Bruno Pohl verliehen?", "Salt Roads"),
        ("Quels livres Bruno Pohl m'a-t-il prêtés ?", "Kiln"),
        ("¿Qué libros presté a Bruno Pohl?", "Salt Roads"),
        ("How many books did I borrow?", "1"),
        ("When did I lend Salt Roads to Bruno Pohl?", "5 April 2026"),
    ],
)
def test_what_was_lent_the_other_way_is_left_out(lent: Compute, question: str, answer: str) -> None:
    found = lent(question)
    assert found is not None
    assert [part.text for part in found.parts] == [answer]


@pytest.mark.parametrize(
    "question",
    [
        "When did Bruno Pohl lend me Salt Roads?",
        "When did I lend Kiln to Bruno Pohl?",
        "Who has the drill?",
        "Wer hat den drill?",
        "Who borrowed the drill?",
    ],
)
def test_what_was_lent_the_other_way_alone_is_no_answer(lent: Compute, question: str) -> None:
    assert lent(question) is None


@pytest.mark.parametrize(
    ("sentence", "way"),
    [
        ("Bruno borrowed Kiln from me.", LoanWay.GIVEN),
        ("Bruno borrowed Kiln from Ana.", None),
        ("Ana lent the drill to Jonas.", None),
        ("Coffee with Ana, she lent me the drill.", LoanWay.GOT),
        ("Das Buch Kiln an Ottokar verliehen.", LoanWay.GIVEN),
        ("Ich habe mir den Bohrer von Ana geliehen.", LoanWay.GOT),
        ("Ich habe Ana den Bohrer geliehen.", None),
        ("Bruno m'a emprunté Kiln.", LoanWay.GIVEN),
        ("J'ai prêté Kiln à Bruno.", LoanWay.GIVEN),
        ("Bruno me pidió prestado Kiln.", LoanWay.GIVEN),
        ("Bruno me prestó Kiln.", LoanWay.GOT),
        ("Tell me which books I lent.", LoanWay.GIVEN),
        ("Painted the gate.", None),
    ],
)
def test_the_way_of_a_loan(sentence: str, way: LoanWay | None) -> None:
    assert loan_way(sentence) is way
