"""Marks runs by every measure that a table averages over the questions, each in percent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from noderag_local.evaluation import metrics
from noderag_local.evaluation.ranking import recall_at
from noderag_local.evaluation.runs import AnswerForm, Run
from noderag_local.generation.citing.markers import MARKER

Mark = Callable[[Run], float | None]
"""Marks a run between 0 and 100; None for a run that has nothing to mark."""

RECALL_DEPTHS = (2, 5)
"""Numbers of documents that HippoRAG measures the recall of supporting paragraphs at."""


def coverage(run: Run) -> float | None:
    """Returns whether the context contains the answer as whole tokens."""
    return 100.0 * metrics.covers(run.context, run.question.answers) if run.question.answers else None


def raw_coverage(run: Run) -> float | None:
    """Returns whether the context contains the answer as a substring."""
    return 100.0 * metrics.covers_raw(run.context, run.question.answers) if run.question.answers else None


def all_supports(run: Run) -> float | None:
    """Returns whether all supporting paragraphs are in the context: by their lines where these are known, else by titles."""
    asked = run.question
    if not asked.supports:
        return None
    if asked.support_lines and run.lines:
        return 100.0 * (set(asked.support_lines) <= set(run.lines))
    return 100.0 * metrics.supported(run.titles, asked.supports)


def recall(depth: int) -> Mark:
    """Returns the mark for the share of the supporting paragraphs among the first `depth` documents that the search found."""

    def marked(run: Run) -> float | None:
        if run.ranking is None or not run.question.supports:
            return None
        return 100.0 * recall_at(depth, run.ranking, run.question)

    return marked


def exact_match(run: Run) -> float | None:
    """Returns whether a short answer is the known one."""
    return 100.0 * metrics.exact_match(run.answer or "", run.question.answers) if _is_short(run) else None


def token_f1(run: Run) -> float | None:
    """Returns the F1 of the tokens of a short answer."""
    return 100.0 * metrics.token_f1(run.answer or "", run.question.answers) if _is_short(run) else None


def accuracy(run: Run) -> float | None:
    """Returns whether an answer of any length contains the known one as whole tokens."""
    if run.answer is None or not run.question.answers:
        return None
    return 100.0 * metrics.covers(MARKER.sub(" ", run.answer), run.question.answers)


def _is_short(run: Run) -> bool:
    return run.answer is not None and run.form is AnswerForm.SHORT and bool(run.question.answers)


MEASURES: Mapping[str, Mark] = {
    "coverage": coverage,
    "supports": all_supports,
    **{f"R@{depth}": recall(depth) for depth in RECALL_DEPTHS},
    "EM": exact_match,
    "F1": token_f1,
    "accuracy": accuracy,
}
"""Every measure by which methods are compared, by its name in tables, in their order."""
