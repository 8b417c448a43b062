"""Draws the plots of a comparison: quality by tokens of the context, and by the cost of indexing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from noderag_local.evaluation.reports.comparison import Comparison, ComparisonRow
from noderag_local.evaluation.reports.plot import PlotLine, plot
from noderag_local.system.printing.amounts import duration

FIGURES = ("coverage", "supports", "F1")
"""Measures to draw; the recall at a number of documents is the same at every budget that holds as many."""
COSTS: tuple[tuple[str, str, Callable[[ComparisonRow], float | None], Callable[[float], str]], ...] = (
    ("cost", "tokens of the language model for indexing", lambda row: row.cost.indexing_tokens, lambda x: f"{x:,.0f}"),
    ("time", "time of the language model for indexing", lambda row: row.cost.indexing_seconds, duration),
)
"""Cost figures: end of the file name, axis title, function that reads it from a row, and formatter."""


def drawings(comparison: Comparison) -> list[tuple[str, str]]:
    """Returns (name without suffix, SVG) of every plot that has data."""
    drawn = []
    for name in FIGURES:
        lines = _lines(comparison.rows, lambda row: float(row.score.budget_tokens), name)
        if lines:
            ticks = [(float(budget), f"{budget:,}") for budget in comparison.budgets]
            by_tokens = plot(lines, "tokens of the context", f"{name}, %", ticks, is_log=True)
            drawn.append((f"{name.lower()}-by-tokens", by_tokens))
    smallest = [row for row in comparison.rows if row.score.budget_tokens == comparison.budgets[0]]
    for ending, title, cost, written in COSTS:
        most = max((cost(row) or 0.0 for row in smallest), default=0.0)
        ticks = [(share * most / 4, written(share * most / 4)) for share in range(5)]
        for name in FIGURES:
            lines = _lines(smallest, cost, name)
            if most and lines:
                y_title = f"{name} at {comparison.budgets[0]:,} tokens, %"
                drawn.append((f"{name.lower()}-by-{ending}", plot(lines, title, y_title, ticks, is_log=False)))
    return drawn


def _lines(
    rows: Sequence[ComparisonRow],
    x: Callable[[ComparisonRow], float | None],
    measure: str,
) -> list[PlotLine]:
    """Returns a line for each contestant through its rows that have both numbers."""
    points: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        at, mark = x(row), row.figures.get(measure)
        if at is not None and mark is not None:
            points.setdefault(row.contestant.name, []).append((at, mark.mean))
    return [PlotLine(name, tuple(sorted(found))) for name, found in points.items()]
