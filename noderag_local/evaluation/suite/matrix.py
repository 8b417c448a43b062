"""Scores the runs of a suite and compares the default method with the best simple one on each corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from noderag_local.evaluation import metrics
from noderag_local.evaluation.bootstrap import Interval, mean_interval
from noderag_local.evaluation.runs import Run
from noderag_local.evaluation.suite.suite_folder import Measure, QuestionSet, SuiteCorpus

SIMPLE_METHODS = ("bm25", "naive")
"""Methods that anyone would try first: full-text search and nearest chunks."""

Marks = Mapping[tuple[str, int], Sequence[float]]
"""Marks in percent of each method at each budget, in the order of the questions."""


@dataclass(frozen=True, slots=True)
class MarkedSet:
    """A set of questions and the marks of every method at every budget."""

    asked: QuestionSet
    marks: Marks


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The mean marks of all methods on a set of questions, or those of one kind, at one budget."""

    name: str
    """Name of the set of questions."""
    kind: str
    """Kind of the questions; "" for all questions of the set."""
    measure: Measure
    budget_tokens: int
    questions: int
    means: Mapping[str, float]
    """Mean mark of each method in percent."""
    best_simple: str
    """The simple method with the highest mean."""
    margin: Interval
    """Marks of the default minus those of the best simple method, question by question, in points."""


def mark(run: Run, measure: Measure, corpus: SuiteCorpus) -> float:
    """Returns the mark of a run in percent."""
    if measure is Measure.RECALL:
        return 100 * metrics.evidence_recall(run.context, run.question.evidence)
    if measure is Measure.FILES:
        return 100.0 * metrics.holds_files(run.paths, run.question.sources, corpus.path.name)
    return 100.0 * metrics.covers(run.context, run.question.answers)


def matrix_rows(marked: Iterable[MarkedSet], default: str) -> list[MatrixRow]:
    """Returns a row for each set of questions and budget, the worst margin first."""
    return _worst_first(row for one in marked for row in _rows(one, default, "", range(len(one.asked.questions))))


def rows_by_kind(marked: MarkedSet, default: str) -> list[MatrixRow]:
    """Returns a row for each kind of question and budget, the worst margin first; none if kinds are unknown."""
    by_kind: dict[str, list[int]] = {}
    for number, question in enumerate(marked.asked.questions):
        if question.kind:
            by_kind.setdefault(question.kind, []).append(number)
    return _worst_first(row for kind, numbers in by_kind.items() for row in _rows(marked, default, kind, numbers))


def mean_margin(rows: Sequence[MatrixRow]) -> float:
    """Returns the mean margin of the rows, equally weighted; at least one row is needed."""
    return fmean(row.margin.mean for row in rows)


def _worst_first(rows: Iterable[MatrixRow]) -> list[MatrixRow]:
    return sorted(rows, key=lambda row: (row.margin.mean, row.name, row.kind, row.budget_tokens))


def _rows(marked: MarkedSet, default: str, kind: str, numbers: Sequence[int]) -> Iterable[MatrixRow]:
    """Yields a row for each budget, with the questions at these positions."""
    for budget in sorted({budget for _, budget in marked.marks}):
        marks = {
            method: [all_marks[i] for i in numbers] for (method, at), all_marks in marked.marks.items() if at == budget
        }
        means = {method: fmean(values) for method, values in marks.items()}
        best = max((method for method in SIMPLE_METHODS if method in means), key=means.__getitem__)
        yield MatrixRow(
            name=marked.asked.name,
            kind=kind,
            measure=marked.asked.measure,
            budget_tokens=budget,
            questions=len(numbers),
            means=means,
            best_simple=best,
            margin=mean_interval([own - other for own, other in zip(marks[default], marks[best], strict=True)]),
        )
