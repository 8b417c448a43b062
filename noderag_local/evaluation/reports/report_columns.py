"""The columns of a comparison's tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from noderag_local.domain.model_use import ModelUse
from noderag_local.evaluation.bootstrap import CONFIDENCE, SAMPLES
from noderag_local.evaluation.marks import MEASURES
from noderag_local.evaluation.reports.comparison import Comparison, ComparisonRow
from noderag_local.evaluation.reports.figures import shown_difference, shown_interval
from noderag_local.system.printing.amounts import duration, size

EXPLAINED = (
    "Coverage: share of the questions whose answer stands in the context, in percent, with the interval that holds "
    f"{CONFIDENCE:.0%} of {SAMPLES:,} bootstrap samples of the questions. Supports: share of the questions whose "
    "supporting paragraphs are all in the context. R@2, R@5: share of the supporting paragraphs among the first two or five "
    "documents that the search found. EM, F1: of the model's short answers, after SQuAD normalisation. Accuracy: share of the "
    "answers that contain the known one. Each Δ: the difference to the first method with its interval, question by question "
    "(paired); * where the interval leaves out zero. Context: tokens of the whole context, mean. Indexing: tokens that the "
    "language model read and wrote for what the method draws on in the vault, and the time at the rate that was measured "
    "there; 0 needs no language model. Indexing calls, indexing cost: the requests for that, each counted as it was sent, and "
    "their price. Chunks read: all, if every stage that the method draws on has run to its end; else the stages that have "
    "not. Answering: tokens that it worked on for one question, those of the search included, without what it had in its cache. "
    "Calls, read, written: requests to the model for one question, tokens of their prompts and of what was written, means. "
    "Cost of all: of all questions together, at the given prices. Index: the vault on disk, with everything that any method "
    "draws on. ms: median of the search, the model's part included where the method asks it. Seconds: wall "
    "time from a question to the end of its answer, mean."
)


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    cell: Callable[[ComparisonRow], str]
    """Returns the text of a cell; "" if there is nothing to show. A column without any text is left out."""


def _measured(name: str) -> tuple[_Column, _Column]:
    """Returns the column of a measure and that of its difference to the first method."""

    def mean(row: ComparisonRow) -> str:
        return shown_interval(row.figures[name].interval) if name in row.figures else ""

    def difference(row: ComparisonRow) -> str:
        behind = row.figures[name].behind if name in row.figures else None
        return shown_difference(behind) if behind else ""

    return _Column(name, mean), _Column(f"Δ {name}", difference)


def _price(amount: float | None) -> str:
    return "" if amount is None else f"{amount:,.4f}"


def _of_use(count: Callable[[ModelUse], int]) -> Callable[[ComparisonRow], str]:
    """Returns a cell with a count of the model's work for a question, as a mean."""

    def cell(row: ComparisonRow) -> str:
        use = row.score.use
        return f"{count(use) / row.score.questions:,.1f}" if use is not None and use.calls else ""

    return cell


def _chunks_read(row: ComparisonRow) -> str:
    """Returns "all" if every stage that the method uses has run to its end, else the stages that have not; "" if it uses none."""
    if not row.cost.stages or row.cost.unfinished is None:
        return ""
    return ", ".join(one.told for one in row.cost.unfinished) or "all"


_COLUMNS = (
    _Column("method", lambda row: row.contestant.name),
    *(column for name in MEASURES for column in _measured(name)),
    _Column("context", lambda row: f"{row.score.tokens:,.0f}"),
    _Column("indexing", lambda row: f"{row.cost.indexing_tokens:,}"),
    _Column("indexing time", lambda row: duration(row.cost.indexing_seconds) if row.cost.indexing_seconds else ""),
    _Column("indexing calls", lambda row: f"{row.cost.indexing_use.calls:,}" if row.cost.indexing_use else ""),
    _Column("chunks read", _chunks_read),
    _Column("indexing cost", lambda row: _price(row.indexing_price)),
    _Column("answering", lambda row: f"{row.answering_tokens:,.0f}" if row.answering_tokens else ""),
    _Column("calls", _of_use(lambda use: use.calls)),
    _Column("read", _of_use(lambda use: use.prompt_tokens)),
    _Column("written", _of_use(lambda use: use.written_tokens)),
    _Column("cost of all", lambda row: _price(row.answering_price)),
    _Column("ms", lambda row: f"{row.median_ms:.0f}"),
    _Column("seconds", lambda row: f"{row.score.seconds:.1f}" if row.answering_tokens else ""),
    _Column("index", lambda row: size(row.cost.size_bytes)),
)


@dataclass(frozen=True, slots=True)
class BudgetTable:
    """The table of one budget."""

    budget_tokens: int
    titles: Sequence[str]
    cells: Sequence[Sequence[str]]
    """Cells of each row, as many as titles."""


def tables(comparison: Comparison) -> list[BudgetTable]:
    """Returns a table for each budget, without empty columns."""
    made = []
    for budget in comparison.budgets:
        rows = [row for row in comparison.rows if row.score.budget_tokens == budget]
        columns = [column for column in _COLUMNS if any(column.cell(row) for row in rows)]
        cells = [[column.cell(row) for column in columns] for row in rows]
        made.append(BudgetTable(budget, [column.title for column in columns], cells))
    return made
