"""Scores, held against cases worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.evaluation import metrics


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The Beatles", "beatles"),
        ("  A  cat, an owl & the dog!  ", "cat owl dog"),
        ("Anglo-French", "anglo french"),
        ("U.S.A.", "u s"),  # the last A is an article by then, as the order of the steps has it
        ("“Don’t” — it’s 1,000–2,000", "don t it s 1 000 2 000"),
        ("theatre", "theatre"),
        ("Grüße aus Łódź", "grüße aus łódź"),
        ("北京，中国。", "北京 中国"),
        ("दिल्ली।", "दिल्ली"),
        ("«Весна» „Der Prozess“ ¿Madrid? Paris… Berlin·Mitte", "весна der prozess madrid paris berlin mitte"),
        ("Cafe\u0301", "café"),
        ("", ""),
        ("the", "the"),  # a grade may be an A
        ("...", ""),
    ],
)
def test_normalisation(text: str, normal: str) -> None:
    assert metrics.normalise(text) == normal


@given(st.text())
def test_normalising_twice_never_adds_anything(text: str) -> None:
    assert set(metrics.normalise(metrics.normalise(text)).split()) <= set(metrics.normalise(text).split())


@pytest.mark.parametrize(
    ("context", "answers", "whole", "raw"),
    [
        ("Born in Paris, France.", ["paris"], True, True),
        ("Comparisons are odious", ["paris"], False, True),  # "com-paris-ons": a substring, no token
        ("The Warner-Music group", ["Warner Music Group"], True, False),
        ("in 1957", ["57"], False, True),
        ("nothing here", ["Rome", "nothing"], True, True),
        ("nothing here", ["the"], False, False),
        ("The grade was A.", ["A"], True, True),
        ("It was a bad grade.", ["A"], False, True),  # an article
        ("nothing here.", ["."], False, True),  # an answer that normalises to nothing is never covered
        ("Das Café", ["Cafe\u0301"], True, False),
        ("", ["Rome"], False, False),
    ],
)
def test_coverage(context: str, answers: list[str], whole: bool, raw: bool) -> None:
    assert metrics.covers(context, answers) is whole
    assert metrics.covers_raw(context, answers) is raw


@pytest.mark.parametrize(
    ("prediction", "answers", "exact", "f1"),
    [
        ("The Warner Music Group.", ["Warner Music Group"], True, 1.0),
        ("Warner", ["Warner Music Group"], False, 0.5),  # precision 1, recall 1/3
        ("It is Warner Music Group", ["Warner Music Group"], False, 0.75),  # precision 3/5, recall 1
        ("five", ["5", "five"], True, 1.0),
        ("six", ["5", "five"], False, 0.0),
        ("no no no", ["no"], False, 0.5),  # a repeated token counts once
        ("the", ["A"], False, 0.0),
        ("北京。", ["北京"], True, 1.0),
        ("", ["Rome"], False, 0.0),
    ],
)
def test_exact_match_and_f1(prediction: str, answers: list[str], exact: bool, f1: float) -> None:
    assert metrics.exact_match(prediction, answers) is exact
    assert metrics.token_f1(prediction, answers) == pytest.approx(f1)


@given(st.text(max_size=40), st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_f1_is_a_share_and_an_exact_match_is_all_of_it(prediction: str, answers: list[str]) -> None:
    f1 = metrics.token_f1(prediction, answers)
    assert 0 <= f1 <= 1
    if metrics.exact_match(prediction, answers):
        assert f1 == 1


def test_supports_are_all_or_nothing() -> None:
    assert metrics.supported(["Paris", "Rome", "Oslo"], ["Rome", "Paris"])
    assert not metrics.supported(["Paris", "Oslo"], ["Rome", "Paris"])


def test_the_percentile_is_an_element_and_not_interpolated() -> None:
    assert metrics.percentile([5.0, 1.0, 3.0], 0.5) == 3.0
    assert metrics.percentile([float(n) for n in range(1, 11)], 0.95) == 10.0
    assert metrics.percentile([float(n) for n in range(1, 61)], 0.95) == 57.0
    assert metrics.percentile([7.0], 0.95) == 7.0


@pytest.mark.parametrize(
    ("context", "answer", "covered"),
    [
        ("诺曼人与土耳其军队并肩作战。", "土耳其军队", True),
        ("诺曼人与军队并肩作战。", "土耳其军队", False),
        ("ใน กรุงเทพมหานครมีคนมาก", "กรุงเทพ", True),
        ("彼は東京で生まれた。", "東京", True),
        ("서울에서 태어났다", "서울", True),  # the particle is part of the word
        ("他看了Star Wars三遍", "STAR WARS", True),
        ("黑豹队只丢了308分", "308", True),  # a Chinese character ends the token
        ("黑豹队只丢了1308分", "308", False),
        ("在 ABC电视台播出", "abc电视台", True),
        ("这里什么也没有", "。", False),
    ],
)
def test_coverage_of_scripts_without_spaces(context: str, answer: str, covered: bool) -> None:
    assert metrics.covers(context, [answer]) is covered


@pytest.mark.parametrize(
    ("context", "evidence", "recall"),
    [
        ("Ann: I planted forty tulips, along the wall.", ["I planted forty tulips along the wall!"], 1.0),
        ("Ann: I planted tulips.", ["I planted forty tulips along the wall!"], 0.0),
        # One sentence of a piece is enough; one of three words or less shows nothing.
        ("the dog ate the cake", ["Oh no! The dog ate the cake. How is he?"], 1.0),
        ("Oh no!", ["Oh no! The dog ate the cake."], 0.0),
        ("She pays with walks.", ["Oh no!", "She pays with walks."], 0.5),
        ("Oh, no … he said", ["Oh no!"], 1.0),  # a piece without any longer sentence must be there whole
    ],
)
def test_recall_of_evidence(context: str, evidence: list[str], recall: float) -> None:
    assert metrics.evidence_recall(context, evidence) == recall


def test_files_are_all_or_nothing_and_relative_to_the_corpus() -> None:
    paths = ["/home/ann/life/notes/people/Bo.md", "/home/ann/life/notes/2024.md"]
    assert metrics.holds_files(paths, ["people/Bo.md"], "notes")
    assert metrics.holds_files(paths, ["2024.md", "people/Bo.md"], "notes")
    assert not metrics.holds_files(paths, ["people/Bo.md", "people/Cy.md"], "notes")
    assert not metrics.holds_files(paths, ["Bo.md"], "notes")
