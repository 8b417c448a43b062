"""Methods side by side, and the report on them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.eval_runs import FIVE, PROVENANCE, ROME, run

from noderag_local.domain.errors import SourceError
from noderag_local.domain.model_use import ModelUse
from noderag_local.domain.stage_progress import StageProgress
from noderag_local.evaluation.marks import marked
from noderag_local.evaluation.prices import Prices
from noderag_local.evaluation.provenance import Provenance
from noderag_local.evaluation.reports.comparison import Comparison, by_corpus
from noderag_local.evaluation.reports.comparison import compared as compared_marked
from noderag_local.evaluation.reports.plot import PlotLine, plot
from noderag_local.evaluation.reports.report_page import write_report
from noderag_local.evaluation.runs import AnswerForm, Run

SHORT = AnswerForm.SHORT
GOOD = [run(ROME, "Roma", method="graph"), run(FIVE, "five", method="graph")]
PLAIN = [run(ROME, "Oslo"), run(FIVE, "five")]


def compared(
    dumps: Sequence[tuple[Provenance, Sequence[Run]]],
    stages_used: Callable[[str], Sequence[str]],
    prices: Prices | None = None,
) -> Comparison:
    return compared_marked([(made_of, list(map(marked, runs))) for made_of, runs in dumps], stages_used, prices)


def stages_used(method: str) -> tuple[str, ...]:
    return ("decompose",) if method == "graph" else ()


def test_each_method_is_held_against_the_first_question_by_question() -> None:
    first, second = compared([(PROVENANCE, [*GOOD, *PLAIN])], stages_used).rows
    assert (first.contestant.name, first.figures["coverage"].mean, first.figures["coverage"].behind) == (
        "graph",
        100,
        None,
    )
    assert second.contestant.name == "naive"
    behind = second.figures["coverage"].behind
    assert behind is not None
    assert (second.figures["coverage"].mean, behind.mean, behind.low) == (50, -50, -100)


def test_supports_and_f1_are_held_against_the_first_where_both_have_them() -> None:
    found = [
        replace(GOOD[0], titles=("Italy", "Cities"), answer="Rome", form=SHORT),
        replace(GOOD[1], answer="five", form=SHORT),
    ]
    lost = [replace(PLAIN[0], answer="Oslo", form=SHORT), PLAIN[1]]
    first, second = compared([(PROVENANCE, [*found, *lost])], stages_used).rows
    assert second.figures["supports"].behind is not None
    assert (
        first.figures["supports"].mean,
        second.figures["supports"].mean,
        second.figures["supports"].behind.mean,
    ) == (100, 0, -100)
    assert second.figures["F1"].behind is not None
    assert (first.figures["F1"].mean, second.figures["F1"].mean, second.figures["F1"].behind.mean) == (100, 0, -100)


def test_indexing_costs_what_the_method_draws_on() -> None:
    rows = compared([(PROVENANCE, [*GOOD, *PLAIN])], stages_used).rows
    assert [row.cost.indexing_tokens for row in rows] == [900, 0]
    assert [row.cost.indexing_seconds for row in rows] == [None, 0]
    timed = compared([(replace(PROVENANCE, tokens_per_second=30.0), GOOD)], stages_used).rows
    assert timed[0].cost.indexing_seconds == 30


def test_only_questions_that_all_have_count() -> None:
    comparison = compared(
        [(PROVENANCE, [*GOOD, PLAIN[1], *(replace(one, budget_tokens=9) for one in GOOD)])], stages_used
    )
    assert comparison.questions == 1
    assert comparison.budgets == (9, 1000)
    assert all(row.score.questions == 1 for row in comparison.rows)


def test_several_vaults_are_told_apart_by_their_names() -> None:
    other = replace(PROVENANCE, name="evening", stage_tokens={})
    rows = compared([(PROVENANCE, GOOD), (other, GOOD)], stages_used).rows
    assert [(row.contestant.name, row.cost.indexing_tokens) for row in rows] == [
        ("graph, notes", 900),
        ("graph, evening", 0),
    ]


def test_vaults_of_one_name_are_told_apart_and_each_has_its_own_costs(tmp_path: Path) -> None:
    half = replace(
        PROVENANCE,
        stage_use={"decompose": ModelUse(4, 800, 0, 100)},
        stages=(StageProgress("decompose", 4, 12, waits=False), StageProgress("elements", 0, 0, waits=True)),
    )
    whole = replace(
        PROVENANCE,
        state="a2",
        stage_tokens={"decompose": 2700},
        stage_use={"decompose": ModelUse(12, 2400, 0, 300)},
        stages=(StageProgress("decompose", 12, 12, waits=False), StageProgress("elements", 2, 3, waits=False)),
    )
    comparison = compared([(half, [*GOOD, *PLAIN]), (whole, GOOD), (half, PLAIN)], stages_used)
    assert [(row.contestant.name, row.cost.indexing_use) for row in comparison.rows] == [
        ("graph, notes", ModelUse(4, 800, 0, 100)),
        ("naive, notes", ModelUse()),
        ("graph, notes 2", ModelUse(12, 2400, 0, 300)),
    ]
    write_report(tmp_path, [comparison], "x")
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    (heading,) = {line for line in report.splitlines() if line.startswith("| method")}
    place = [cell.strip() for cell in heading.split("|")].index("chunks read")
    cells = [line.split("|")[place].strip() for line in report.splitlines() if line.startswith(("| graph", "| naive"))]
    assert cells == ["decompose 4 of 12", "", "all"]
    assert "notes 2: stages that have run to their end: decompose 12 of 12; that have not: elements 2 of 3." in report
    assert "decompose 900 (4 requests, 800 read, 100 written)" in report


def test_answers_are_scored_where_there_are_any() -> None:
    answered = [replace(one, answer="five", form=SHORT, llm_tokens=30) for one in GOOD]
    (row,) = compared([(PROVENANCE, answered)], stages_used).rows
    assert (row.figures["F1"].mean, row.answering_tokens) == (50, 30)


def test_the_models_work_has_its_columns_and_its_price(tmp_path: Path) -> None:
    used = [replace(one, answer="five", form=SHORT, llm_tokens=30, use=ModelUse(3, 2000, 0, 100)) for one in GOOD]
    read = replace(PROVENANCE, stage_use={"decompose": ModelUse(4, 800, 0, 100), "attributes": ModelUse(9, 9, 0, 9)})
    comparison = compared([(read, used)], stages_used, Prices(1, 10))
    assert comparison.rows[0].answering_price == 0.006
    assert (comparison.rows[0].cost.indexing_use, comparison.rows[0].indexing_price) == (
        ModelUse(4, 800, 0, 100),
        0.0018,
    )
    older = compared([(PROVENANCE, used)], stages_used, Prices(1, 10)).rows[0]
    assert (older.cost.indexing_use, older.indexing_price) == (None, None)
    write_report(tmp_path, [comparison], "x")
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| calls | read | written | cost of all |" in report
    assert "| 3.0 | 2,000.0 | 100.0 | 0.0060 |" in report
    assert "| accuracy |" in report
    assert "| 900 | 4 | 0.0018 |" in report


def test_dumps_that_share_questions_are_of_one_corpus() -> None:
    first, second = ([marked(one)] for one in GOOD)
    rome, five = (PROVENANCE, first), (replace(PROVENANCE, name="evening"), second)
    assert by_corpus([rome, five, (PROVENANCE, first)]) == [[rome, (PROVENANCE, first)], [five]]


def test_the_report_tells_every_figure_and_needs_nothing_beside_it(tmp_path: Path) -> None:
    runs = [*GOOD, *PLAIN, *(replace(one, budget_tokens=2000) for one in (*GOOD, *PLAIN))]
    page = write_report(tmp_path / "out", [compared([(PROVENANCE, runs)], stages_used)], "a < b")
    markdown, html = (tmp_path / "out" / "report.md").read_text(), page.read_text()
    assert "| graph | 100.0 (100–100) |" in markdown
    assert "-50.0 (-100 to +0)" in markdown
    assert "### 2,000 tokens" in markdown
    assert "decompose 900" in markdown
    assert "| 5.0 MB |" in markdown
    assert "| EM |" not in markdown  # nobody answered
    assert "<title>a &lt; b</title>" in html
    assert html.count("<svg ") == 4
    assert html.count('<div class="scroll"><table>') == html.count("</table></div>") == 2
    assert "prefers-color-scheme: dark" in html
    assert not any(mark in html for mark in ("http:", "https:", "src=", "href=", "<script"))
    for name in ("coverage-by-tokens.svg", "coverage-by-cost.svg", "supports-by-tokens.svg", "supports-by-cost.svg"):
        assert f"({name})" in markdown
        assert ElementTree.parse(tmp_path / "out" / name).getroot().tag.endswith("svg")


def test_answers_and_a_known_rate_have_their_plots(tmp_path: Path) -> None:
    runs = [replace(one, answer="five", form=SHORT, llm_tokens=30) for one in GOOD]
    page = write_report(tmp_path, [compared([(replace(PROVENANCE, tokens_per_second=0.5), runs)], stages_used)], "x")
    drawn = {path.name for path in tmp_path.glob("*.svg")}
    assert {"f1-by-tokens.svg", "f1-by-cost.svg", "f1-by-time.svg", "coverage-by-time.svg"} <= drawn
    assert "30 min 00 s" in page.read_text()


def test_every_corpus_has_a_section_with_plots_of_its_own(tmp_path: Path) -> None:
    dumps = [(PROVENANCE, GOOD[:1]), (replace(PROVENANCE, name="evening"), GOOD[1:])]
    page = write_report(tmp_path, [compared([one], stages_used) for one in dumps], "both")
    html = page.read_text()
    assert html.index("<h2>notes</h2>") < html.index("<h2>evening</h2>")
    assert (tmp_path / "coverage-by-tokens-1.svg").exists()
    assert (tmp_path / "coverage-by-tokens-2.svg").exists()


def test_a_report_that_cannot_be_written_names_its_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="file"):
        write_report(tmp_path / "file", [compared([(PROVENANCE, GOOD)], stages_used)], "x")


@pytest.mark.parametrize("count", [1, 16, 40])
def test_names_of_a_plot_do_not_cover_each_other(count: int) -> None:
    lines = [PlotLine(f"method {n}", ((1000.0, 80.0 + n / 10), (2000.0, 90.0))) for n in range(count)]
    drawing = ElementTree.fromstring(
        plot(lines, "tokens", "coverage", [(1000.0, "1,000"), (2000.0, "2,000")], is_log=True)
    )
    heights = sorted(float(text.attrib["y"]) for text in drawing.iter("text") if (text.text or "").startswith("method"))
    assert all(after - before >= 13.9 for before, after in pairwise(heights))
    assert heights[0] > 0
    assert heights[-1] < float(drawing.attrib["viewBox"].split()[3])


def test_data_sets_with_the_same_ids_have_their_own_sections() -> None:
    elsewhere = [
        replace(one, question=replace(one.question, question=f"Elsewhere: {one.question.question}")) for one in GOOD
    ]
    dumps = [(PROVENANCE, list(map(marked, GOOD))), (PROVENANCE, list(map(marked, elsewhere)))]
    assert by_corpus(dumps) == [dumps[:1], dumps[1:]]
