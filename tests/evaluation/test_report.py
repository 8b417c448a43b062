"""From runs to scores and the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from helpers.eval_runs import FIVE, ROME, run

from noderag_local.domain.model_use import ModelUse
from noderag_local.evaluation.marks import marked
from noderag_local.evaluation.prices import Prices
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.ranking import RankedDocument
from noderag_local.evaluation.reports.score_table import table
from noderag_local.evaluation.reports.scores import Score
from noderag_local.evaluation.reports.scores import scores as scores_of
from noderag_local.evaluation.runs import AnswerForm, Run


def scores(runs: Iterable[Run]) -> tuple[Score, ...]:
    return scores_of(map(marked, runs))


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
    assert (large.tokens, large.characters, large.mean_ms, large.p95_ms) == (2, 10.5, 20, 30)
    assert (large.exact_match, large.f1) == (None, None)


def test_answers_are_scored_over_the_questions_that_have_one() -> None:
    (score,) = scores([run(ROME, "", answer="the Roma"), run(FIVE, "", answer="five six"), run(FIVE, "")])
    assert score.exact_match == 50
    assert score.f1 == pytest.approx(100 * (1 + 2 / 3) / 2)


def test_the_table_has_a_line_a_score_and_the_supports_only_where_known() -> None:
    with_supports = table(scores([run(ROME, "Roma", answer="Rom")])).splitlines()
    assert with_supports[0].split()[:6] == ["method", "budget", "n", "coverage", "raw", "EM"]
    assert with_supports[0].endswith("all supports")
    assert with_supports[1].split() == "naive 1000 1 100.0 100.0 0.0 0.0 0.0 1 4 10.0 10.0 - - 0.0".split()
    without = table(scores([run(FIVE, "five")])).splitlines()
    assert without[0].endswith("ms p95")
    assert without[1].split() == "naive 1000 1 100.0 100.0 - - - 1 4 10.0 10.0".split()


def test_questions_without_an_answer_that_can_be_looked_for_have_no_coverage() -> None:
    (score,) = results = scores([run(replace(FIVE, answers=()), "five")])
    assert (score.coverage, score.raw) == (None, None)
    assert table(results).splitlines()[1].split()[3:5] == ["-", "-"]


def test_accuracy_is_an_answer_that_contains_the_known_one() -> None:
    said = [run(ROME, "", answer="It is Roma [1]."), run(FIVE, "", answer="fifty-five"), run(FIVE, "")]
    (score,) = scores(said)
    assert (score.accuracy, score.exact_match) == (50 + 50, 0)  # "fifty-five" has the token five
    (whole,) = scores([run(ROME, "", answer="Romania", form=AnswerForm.FULL)])
    assert (whole.accuracy, whole.f1) == (0, None)


def test_the_recall_of_supports_is_a_mean_of_shares_at_two_and_five_documents() -> None:
    titles = ["Alps", "Italy", "Po", "Milan", "Cities", "Turin"]
    ranking = tuple(RankedDocument(title, line) for line, title in enumerate(titles, start=1))
    (score,) = scores([run(ROME, "", ranking=ranking), run(ROME, "", ranking=ranking[:1]), run(FIVE, "")])
    assert (score.recall_at_2, score.recall_at_5, score.short_rankings) == (25, 50, 1)
    assert "1 of 3 contexts have fewer than 5 documents" in table([score])
    assert scores([run(ROME, "")])[0].recall_at_5 is None  # a dump of an earlier version has no ranking


def test_supports_that_are_known_by_their_lines_alone_are_scored() -> None:
    asked = EvalQuestion("3", "Where?", ("Rome",), support_lines=(2, 7))
    ranking = (RankedDocument("Alps", 7), RankedDocument("Po", 1))
    (score,) = scores([run(asked, "", lines=(7, 2), titles=("Alps",), ranking=ranking), run(asked, "")])
    assert (score.supported, score.recall_at_2) == (50, 50)  # nothing was found in the second run
    older = run(asked, "", titles=("Alps",))
    assert scores([older])[0].supported is None


def test_each_method_is_held_against_the_first_at_its_budget() -> None:
    runs = [run(ROME, "Roma", method="graph"), run(FIVE, "five", method="graph"), run(ROME, "Oslo"), run(FIVE, "five")]
    graph, naive = scores([*runs, run(ROME, "Roma", budget_tokens=9)])[0], scores(runs)[1]
    assert graph.against_first == {}
    assert (naive.against_first["coverage"].mean, naive.against_first["coverage"].low) == (-50, -100)
    assert "accuracy" not in naive.against_first
    heading, line = table(scores(runs)).split("\n\n")[1].splitlines()
    assert heading.split() == "to the first, 95 % budget coverage supports".split()
    assert line.split() == "naive 1000 -50.0 (-100 to +0) +0.0 (+0 to +0)".split()


def test_the_models_work_is_shown_where_there_is_any_and_costs_where_there_are_prices() -> None:
    runs = [run(ROME, "", answer="Rome", use=ModelUse(2, 3000, 1000, 50), seconds=1.5), run(FIVE, "", use=ModelUse())]
    (score,) = scores(runs)
    assert score.use == ModelUse(2, 3000, 1000, 50)
    assert table([score]).splitlines()[-1].split() == "naive 1000 1.0 1,500.0 25.0 0.8".split()
    priced = table([score], Prices(2, 10)).splitlines()
    assert (priced[-2].split()[-1], priced[-1].split()[-1]) == ("all", "0.0065")
    assert "calls" not in table(scores([run(FIVE, "", use=ModelUse())]))
    assert table(scores([run(FIVE, "", answer="5")]), Prices(2, 10)).endswith("-")  # an older dump did not count


def test_a_run_as_a_line_of_a_dump() -> None:
    row = run(ROME, "Roma", answer="Rome", llm_tokens=9, titles=("Italy",)).row()
    assert row == {
        "id": "1",
        "question": "Which city?",
        "answers": ("Rome", "Roma"),
        "supports": ("Italy", "Cities"),
        "support_lines": (),
        "kind": "",
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
