"""The matrix of a suite, held against marks written down by hand."""

from __future__ import annotations

import pytest

from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.suite.matrix import MarkedSet, matrix_rows, mean_margin, rows_by_kind
from noderag_local.evaluation.suite.matrix_table import explained, matrix_table
from noderag_local.evaluation.suite.suite_folder import Measure, QuestionSet

KINDS = ("single", "single", "when", "")
QUESTIONS = tuple(EvalQuestion(str(at), "?", ("x",), kind=kind) for at, kind in enumerate(KINDS))


def marked(name: str, default: list[float], bm25: list[float], naive: list[float]) -> MarkedSet:
    marks = {("noderag", 500): default, ("bm25", 500): bm25, ("naive", 500): naive, ("hippo", 500): [100.0] * 4}
    return MarkedSet(QuestionSet(name, Measure.COVERAGE, QUESTIONS), marks)


AHEAD = marked("ahead", [100, 100, 100, 0], [0, 100, 0, 0], [0, 0, 100, 0])
BEHIND = marked("behind", [0, 0, 100, 0], [0, 0, 100, 0], [100, 100, 0, 100])


def test_the_margin_is_over_the_best_simple_method_alone_and_the_worst_comes_first() -> None:
    behind, ahead = matrix_rows([AHEAD, BEHIND], "noderag")
    assert (behind.name, behind.best_simple, behind.margin.mean) == ("behind", "naive", -50)
    assert (ahead.name, ahead.best_simple, ahead.margin.mean) == ("ahead", "bm25", 50)
    assert ahead.means == {"noderag": 75, "bm25": 25, "naive": 25, "hippo": 100}
    assert behind.margin.low <= -50 <= behind.margin.high
    assert mean_margin([behind, ahead]) == 0


def test_each_kind_of_question_is_held_against_the_best_method_for_it() -> None:
    rows = {row.kind: row for row in rows_by_kind(BEHIND, "noderag")}
    assert {kind: (row.questions, row.best_simple, row.margin.mean) for kind, row in rows.items()} == {
        "single": (2, "naive", -100),
        "when": (1, "bm25", 0),
    }


def test_budgets_have_rows_of_their_own() -> None:
    marks = {(method, budget): [50.0] * 4 for method in ("noderag", "bm25", "naive") for budget in (1000, 500)}
    rows = matrix_rows([MarkedSet(AHEAD.asked, marks)], "noderag")
    assert [row.budget_tokens for row in rows] == [500, 1000]


def test_the_table_has_a_line_a_row_and_says_how_is_counted() -> None:
    rows = matrix_rows([AHEAD, BEHIND], "noderag")
    heading, first, second = matrix_table(rows).splitlines()
    assert heading.split() == "corpus budget n measure noderag bm25 naive hippo best simple margin".split()
    assert first.split()[:8] == ["behind", "500", "4", "coverage", "25.0", "25.0", "75.0", "100.0"]
    assert "naive 75.0" in first
    assert "-50.0" in first
    assert second.startswith("ahead")
    foot = explained(rows, "noderag")
    assert "+0.0 points, each set of questions and budget weighing the same" in foot
    assert "without spaces" in foot
    assert "evidence" not in foot  # no row is counted by it


def test_a_method_that_some_corpora_cannot_serve_is_left_blank_there() -> None:
    few = MarkedSet(BEHIND.asked, {key: marks for key, marks in BEHIND.marks.items() if key[0] != "hippo"})
    blank, full = matrix_table(matrix_rows([AHEAD, few], "noderag")).splitlines()[1:]
    assert "100.0" not in blank
    assert "100.0" in full


@pytest.mark.parametrize("measure", Measure)
def test_every_measure_is_explained(measure: Measure) -> None:
    rows = matrix_rows([MarkedSet(QuestionSet("one", measure, QUESTIONS), AHEAD.marks)], "noderag")
    assert f"\n{measure}: " in explained(rows, "noderag")
