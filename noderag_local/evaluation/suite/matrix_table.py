"""Prints a matrix of corpora and methods as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from noderag_local.evaluation.bootstrap import CONFIDENCE
from noderag_local.evaluation.reports.figures import shown_difference
from noderag_local.evaluation.suite.matrix import MatrixRow, mean_margin
from noderag_local.evaluation.suite.suite_folder import Measure

_MEASURES = {
    Measure.RECALL: "the mean share of the pieces of evidence in the context (a piece counts where one of its sentences of "
    "four words or more stands there)",
    Measure.FILES: "the share of questions with every needed file in the context",
    Measure.COVERAGE: "the share of questions with an answer in the context, as whole tokens after SQuAD normalisation; an "
    "answer in a script without spaces between words, such as Chinese, counts as a plain substring, ignoring case",
}


def matrix_table(rows: Sequence[MatrixRow]) -> str:
    """Returns the rows as a table, in their order.

    Args:
        rows: not empty; a cell is blank if a row lacks the method.
    """
    methods = list(dict.fromkeys(method for row in rows for method in row.means))
    by_kind = any(row.kind for row in rows)
    titles = ["kind" if by_kind else "corpus", "budget", "n", "measure", *methods, "best simple", "margin"]
    cells = [titles]
    cells += [
        [
            row.kind if by_kind else row.name,
            f"{row.budget_tokens:,}",
            f"{row.questions:,}",
            row.measure,
            *(f"{row.means[method]:.1f}" if method in row.means else "" for method in methods),
            f"{row.best_simple} {row.means[row.best_simple]:.1f}",
            shown_difference(row.margin),
        ]
        for row in rows
    ]
    return "\n".join(_aligned(cells))


def explained(rows: Sequence[MatrixRow], default: str) -> str:
    """Returns the text below the tables: the meaning of the columns, and the mean margin.

    Args:
        rows: rows of all corpora; not empty.
        default: name of the default method.
    """
    measures = sorted({row.measure for row in rows})
    return "\n".join(
        [
            f"Mean margin of {default}: {mean_margin(rows):+.1f} points, each set of questions and budget weighing the same.",
            *(f"{measure}: {_MEASURES[measure]}; in percent." for measure in measures),
            f"margin: {default} less the best simple method, in points, with the {CONFIDENCE:.0%} interval of a paired "
            "bootstrap over the questions; * where it leaves out zero.",
        ]
    )


def _aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Returns aligned rows: names to the left, figures to the right, two spaces between columns."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    to_the_left = {0, 3, len(widths) - 2, len(widths) - 1}
    lines = []
    for row in cells:
        padded = (
            cell.ljust(width) if at in to_the_left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(padded).rstrip())
    return lines
