"""Methods side by side, and the report on them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from eval_runs import FIVE, MAKING, ROME, run

from noderag_local.errors import SourceError
from noderag_local.eval.comparison import compared
from noderag_local.eval.page import write_report
from noderag_local.eval.plot import Line, plot

GOOD = [run(ROME, "Roma", method="graph"), run(FIVE, "five", method="graph")]
PLAIN = [run(ROME, "Oslo"), run(FIVE, "five")]
DRAWS_ON = {"graph": ("decompose",), "naive": ()}


def test_each_method_is_held_against_the_first_question_by_question() -> None:
    first, second = compared([(MAKING, [*GOOD, *PLAIN])], DRAWS_ON).rows
    assert (first.contestant.name, first.coverage.mean, first.behind) == ("graph", 100, None)
    assert second.contestant.name == "naive"
    assert second.behind is not None
    assert (second.coverage.mean, second.behind.mean, second.behind.low) == (50, -50, -100)


def test_indexing_costs_what_the_method_draws_on() -> None:
    rows = compared([(MAKING, [*GOOD, *PLAIN])], DRAWS_ON).rows
    assert [row.indexing_tokens for row in rows] == [900, 0]


def test_only_questions_that_all_have_count() -> None:
    comparison = compared([(MAKING, [*GOOD, PLAIN[1], *(replace(one, budget_tokens=9) for one in GOOD)])], DRAWS_ON)
    assert comparison.questions == 1
    assert comparison.budgets == (9, 1000)
    assert all(row.score.questions == 1 for row in comparison.rows)


def test_several_vaults_are_told_apart_by_their_names() -> None:
    other = replace(MAKING, name="evening", stage_tokens={})
    rows = compared([(MAKING, GOOD), (other, GOOD)], DRAWS_ON).rows
    assert [(row.contestant.name, row.indexing_tokens) for row in rows] == [
        ("graph, notes", 900),
        ("graph, evening", 0),
    ]


def test_answers_are_scored_where_there_are_any() -> None:
    answered = [replace(one, answer="five", llm_tokens=30) for one in GOOD]
    (row,) = compared([(MAKING, answered)], DRAWS_ON).rows
    assert row.f1 is not None
    assert (row.f1.mean, row.answering_tokens) == (50, 30)


def test_the_report_tells_every_figure_and_needs_nothing_beside_it(tmp_path: Path) -> None:
    runs = [*GOOD, *PLAIN, *(replace(one, budget_tokens=2000) for one in (*GOOD, *PLAIN))]
    page = write_report(tmp_path / "out", compared([(MAKING, runs)], DRAWS_ON), "a < b")
    markdown, html = (tmp_path / "out" / "report.md").read_text(), page.read_text()
    assert "| graph | 100.0 (100–100) |" in markdown
    assert "-50.0 (-100 to +0)" in markdown
    assert "## 2,000 tokens" in markdown
    assert "decompose 900" in markdown
    assert "| EM |" not in markdown  # nobody answered
    assert "<title>a &lt; b</title>" in html
    assert html.count("<svg ") == 2
    assert not any(mark in html for mark in ("http", "src=", "href=", "<script"))
    for name in ("coverage-by-tokens.svg", "coverage-by-cost.svg"):
        assert f"({name})" in markdown
        assert ElementTree.parse(tmp_path / "out" / name).getroot().tag.endswith("svg")


def test_a_report_that_cannot_be_written_names_its_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="file"):
        write_report(tmp_path / "file", compared([(MAKING, GOOD)], DRAWS_ON), "x")


def test_names_of_a_plot_do_not_cover_each_other() -> None:
    lines = [Line(f"method {n}", ((1000.0, 80.0 + n / 10), (2000.0, 90.0))) for n in range(16)]
    drawing = ElementTree.fromstring(
        plot(lines, "tokens", "coverage", [(1000.0, "1,000"), (2000.0, "2,000")], is_log=True)
    )
    heights = sorted(float(text.attrib["y"]) for text in drawing.iter("text") if (text.text or "").startswith("method"))
    assert all(after - before >= 13.9 for before, after in pairwise(heights))
    assert heights[0] > 0
    assert heights[-1] < 380
