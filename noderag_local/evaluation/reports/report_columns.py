"""The columns of a comparison's tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from noderag_local.evaluation.bootstrap import CONFIDENCE, SAMPLES, Interval
from noderag_local.evaluation.reports.comparison import Comparison, ComparisonRow, Figure
from noderag_local.system.printing.amounts import duration, size

EXPLAINED = (
    "Coverage: share of the questions whose answer stands in the context, in percent, with the interval that holds "
    f"{CONFIDENCE:.0%} of {SAMPLES:,} bootstrap samples of the questions. Supports: share of the questions whose "
    "supporting paragraphs are all in the context. EM, F1: of the model's short answers, after SQuAD normalisation. Each Δ: "
    "the difference to the first method with its interval, question by question (paired); * where the interval leaves out "
    "zero. Context: tokens of the whole context, mean. Indexing: tokens that the language model read and wrote for what the "
    "method draws on in the vault, and the time at the rate that was measured there; 0 needs no language model. "
    "Answering: tokens that it read and wrote for one question, those of the search included. Index: the vault on disk, with "
    "everything that any method draws on. ms: median of the search, the model's part included where the method asks it."
)


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    cell: Callable[[ComparisonRow], str]
    """Returns the text of a cell; "" if there is nothing to show. A column without any text is left out."""


_COLUMNS = (
    _Column("method", lambda row: row.contestant.name),
    _Column("coverage", lambda row: _mean(row.coverage)),
    _Column("Δ coverage", lambda row: _behind(row.coverage)),
    _Column("supports", lambda row: _mean(row.supports)),
    _Column("Δ supports", lambda row: _behind(row.supports)),
    _Column("EM", lambda row: "" if row.score.exact_match is None else f"{row.score.exact_match:.1f}"),
    _Column("F1", lambda row: _mean(row.f1)),
    _Column("Δ F1", lambda row: _behind(row.f1)),
    _Column("context", lambda row: f"{row.score.tokens:,.0f}"),
    _Column("indexing", lambda row: f"{row.cost.indexing_tokens:,}"),
    _Column("indexing time", lambda row: duration(row.cost.indexing_seconds) if row.cost.indexing_seconds else ""),
    _Column("answering", lambda row: f"{row.answering_tokens:,.0f}" if row.answering_tokens else ""),
    _Column("ms", lambda row: f"{row.median_ms:.0f}"),
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


def shown_interval(interval: Interval) -> str:
    """Formats a mean and its interval."""
    return f"{interval.mean:.1f} ({interval.low:.0f}–{interval.high:.0f})"


def shown_difference(interval: Interval) -> str:
    """Formats a mean difference and its interval, with a star when zero lies outside."""
    return f"{interval.mean:+.1f} ({interval.low:+.0f} to {interval.high:+.0f})" + "*" * interval.excludes_zero


def _mean(figure: Figure | None) -> str:
    return shown_interval(figure.interval) if figure else ""


def _behind(figure: Figure | None) -> str:
    return shown_difference(figure.behind) if figure and figure.behind else ""
