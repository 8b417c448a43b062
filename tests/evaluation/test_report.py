"""From runs to scores and the table."""

from __future__ import annotations

import pytest
from helpers.eval_runs import FIVE, ROME, run

from noderag_local.evaluation.reports.scores import scores, table


def test_a_score_is_over_its_own_method_and_budget() -> None:
    runs = [
        run(ROME, "It is Roma.", titles=("Cities", "Italy", "Alps"), elapsed_ms=30.0),
        run(FIVE, "fifty-five"),
        run(ROME, "Oslo", budget_tokens=500, titles=("Italy",)),
        run(FIVE, "six", budget_tokens=500),
    ]
    small, large = scores(runs)
    assert (small.budget_tokens, small.questions, small.coverage, small.raw, small.supported) == (500, 2, 0, 0, 0)
    assert (large.budget_tokens, large.coverage, large.raw, large.supported) == (1000, 100, 100, 100)
    assert (large.tokens, large.characters, large.mean_ms, large.p95_ms) == (2, 10.5, 20, 10)
    assert (large.exact_match, large.f1) == (None, None)


def test_answers_are_scored_over_the_questions_that_have_one() -> None:
    (score,) = scores([run(ROME, "", answer="the Roma"), run(FIVE, "", answer="five six"), run(FIVE, "")])
    assert score.exact_match == 50
    assert score.f1 == pytest.approx(100 * (1 + 2 / 3) / 2)


def test_the_table_has_a_line_a_score_and_the_supports_only_where_known() -> None:
    with_supports = table(scores([run(ROME, "Roma", answer="Rom")])).splitlines()
    assert with_supports[0].split()[:6] == ["method", "budget", "n", "coverage", "raw", "EM"]
    assert with_supports[0].endswith("all supports")
    assert with_supports[1].split() == "naive 1000 1 100.0 100.0 0.0 0.0 1 4 10.0 10.0 0.0".split()
    without = table(scores([run(FIVE, "five")])).splitlines()
    assert without[0].endswith("ms p95")
    assert without[1].split() == "naive 1000 1 100.0 100.0 - - 1 4 10.0 10.0".split()


def test_a_run_as_a_line_of_a_dump() -> None:
    row = run(ROME, "Roma", answer="Rome", llm_tokens=9, titles=("Italy",)).row()
    assert row == {
        "id": "1",
        "question": "Which city?",
        "answers": ("Rome", "Roma"),
        "supports": ("Italy", "Cities"),
        "method": "naive",
        "budget": 1000,
        "context": "Roma",
        "tokens": 1,
        "ms": 10.0,
        "titles": ("Italy",),
        "answer": "Rome",
        "form": "short",
        "abstained": False,
        "llm_tokens": 9,
    }
    assert "answer" not in run(ROME, "Roma").row()
