"""Marks runs by every measure that a table averages over the questions, each in percent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from noderag_local.evaluation import metrics
from noderag_local.evaluation.answer_marks import answer_mark
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
    if asked.support_lines and (run.lines or not run.titles):
        return 100.0 * (set(asked.support_lines) <= set(run.lines))
    # A dump of an earlier version has titles alone.
    return 100.0 * metrics.supported(run.titles, asked.supports) if asked.supports else None


def recall(depth: int) -> Mark:
    """Returns the mark for the share of the supporting paragraphs among the first `depth` documents that the search found."""

    def marked(run: Run) -> float | None:
        if run.ranking is None or not run.question.has_supports:
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


@dataclass(frozen=True, slots=True)
class MarkedRun:
    """A run with its marks, which tables and reports share, since marking takes longer than everything else in them."""

    run: Run
    marks: Mapping[str, float | None]
    """Mark by each of MEASURES; None where there is nothing to mark."""
    raw: float | None
    """Mark by `raw_coverage`."""
    points: float | None
    """F1 of a short answer, or the mark of a full one; None without an answer."""


def marked(run: Run) -> MarkedRun:
    """Marks a run by every measure."""
    own = {name: mark(run) for name, mark in MEASURES.items()}
    return MarkedRun(run, own, raw_coverage(run), own["F1"] if own["F1"] is not None else full_points(run))


def full_points(run: Run) -> float | None:
    """Returns the mark of an answer as a person reads it; None without an answer."""
    return None if run.answer is None else 100.0 * answer_mark(run.question, run.answer, run.abstained)
