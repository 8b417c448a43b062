"""Compares methods and computes every figure of a report with its confidence interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from noderag_local.evaluation import metrics
from noderag_local.evaluation.bootstrap import Interval, mean_interval
from noderag_local.evaluation.provenance import Provenance
from noderag_local.evaluation.reports.scores import Score, scores
from noderag_local.evaluation.runs import AnswerForm, Run

DumpedRuns = tuple[Provenance, Sequence[Run]]
Marks = Sequence[float | None]
"""Marks in percent, one per question; None for a question without a mark."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A method on a vault, as one line of a comparison."""

    vault: str
    """Name of the vault; "" if there is only one."""
    method: str

    @property
    def name(self) -> str:
        """Name of the contestant in tables and plots."""
        return f"{self.method}, {self.vault}" if self.vault else self.method


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean or share in percent, and its difference from the first method."""

    interval: Interval
    behind: Interval | None
    """Mean difference from the first method, question by question; None for the first method itself."""

    @property
    def mean(self) -> float:
        """Mean over the questions that have a mark."""
        return self.interval.mean


@dataclass(frozen=True, slots=True)
class IndexingCost:
    """Cost of indexing a vault for one method."""

    indexing_tokens: int
    """Tokens that the language model read and wrote for the stages that the method uses."""
    indexing_seconds: float | None
    """Time for these tokens at the speed measured in the vault; None if unknown."""
    size_bytes: int
    """Size of the whole vault."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """The figures of one method at one budget."""

    contestant: Contestant
    score: Score
    coverage: Figure | None
    """None if no question has an answer that could be in a context."""
    supports: Figure | None
    """Share of questions whose supporting paragraphs are all in the context; None if these are unknown."""
    f1: Figure | None
    """F1 of the answers; None if there are none."""
    median_ms: float
    answering_tokens: float
    """Mean tokens that the language model read and wrote for search and answer; 0 without a model."""
    cost: IndexingCost


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of all contestants on one corpus."""

    provenances: tuple[Provenance, ...]
    questions: int
    rows: tuple[ComparisonRow, ...]
    """Rows ordered by budget, then by dump and method."""

    @property
    def name(self) -> str:
        """Name of the corpus, made of the names of its vaults."""
        return ", ".join(dict.fromkeys(provenance.name for provenance in self.provenances))

    @property
    def budgets(self) -> tuple[int, ...]:
        """Budgets of the comparison, ascending."""
        return tuple(sorted({row.score.budget_tokens for row in self.rows}))


def by_corpus(dumps: Sequence[DumpedRuns]) -> list[list[DumpedRuns]]:
    """Groups dumps with common questions, in order of first appearance."""
    corpora: list[tuple[set[str], list[DumpedRuns]]] = []
    for dump in dumps:
        asked = {run.question.id for run in dump[1]}
        for known, held in corpora:
            if known & asked:
                known |= asked
                held.append(dump)
                break
        else:
            corpora.append((asked, [dump]))
    return [held for _, held in corpora]


def compared(dumps: Sequence[DumpedRuns], stages_used: Callable[[str], Sequence[str]]) -> Comparison:
    """Compares the methods of all dumps on the questions that every method was asked at every budget.

    Args:
        dumps: not empty; the method of the first run is the one that others are compared with.
        stages_used: returns the stages of enriching whose results a method uses.
    """
    several = len(dumps) > 1
    groups: dict[int, dict[Contestant, dict[str, Run]]] = {}
    costs: dict[Contestant, IndexingCost] = {}
    for provenance, runs in dumps:
        for run in runs:
            contestant = Contestant(provenance.name if several else "", run.method)
            groups.setdefault(run.budget_tokens, {}).setdefault(contestant, {})[run.question.id] = run
            costs[contestant] = _cost(provenance, stages_used(run.method))
    asked = [set(runs) for of_budget in groups.values() for runs in of_budget.values()]
    shared = sorted(set.intersection(*asked)) if asked else []
    rows = [
        row
        for _, of_budget in sorted(groups.items())
        for row in _rows({one: [runs[id] for id in shared] for one, runs in of_budget.items()}, costs)
        if shared
    ]
    return Comparison(tuple(provenance for provenance, _ in dumps), len(shared), tuple(rows))


def _cost(provenance: Provenance, stages: Sequence[str]) -> IndexingCost:
    tokens = sum(provenance.stage_tokens.get(stage, 0) for stage in stages)
    seconds = tokens / provenance.tokens_per_second if provenance.tokens_per_second else None
    return IndexingCost(tokens, seconds if tokens else 0.0, provenance.size_bytes)


def _rows(runs_of: Mapping[Contestant, Sequence[Run]], costs: Mapping[Contestant, IndexingCost]) -> list[ComparisonRow]:
    """Returns the rows of one budget, all on the same questions in the same order."""
    first: tuple[Marks, Marks, Marks] | None = None
    rows = []
    for contestant, runs in runs_of.items():
        marks = _coverage(runs), _supports(runs), _f1(runs)
        against = first or (None, None, None)
        rows.append(
            ComparisonRow(
                contestant=contestant,
                score=scores(runs)[0],
                coverage=_figure_if_any(marks[0], against[0]),
                supports=_figure_if_any(marks[1], against[1]),
                f1=_figure_if_any(marks[2], against[2]),
                median_ms=median(run.elapsed_ms for run in runs),
                answering_tokens=sum(run.llm_tokens for run in runs) / len(runs),
                cost=costs[contestant],
            )
        )
        first = first or marks
    return rows


def _coverage(runs: Sequence[Run]) -> Marks:
    return [100.0 * metrics.covers(run.context, run.question.answers) if run.question.answers else None for run in runs]


def _supports(runs: Sequence[Run]) -> Marks:
    return [
        100.0 * metrics.supported(run.titles, run.question.supports) if run.question.supports else None for run in runs
    ]


def _f1(runs: Sequence[Run]) -> Marks:
    return [
        100.0 * metrics.token_f1(run.answer or "", run.question.answers)
        if run.form is AnswerForm.SHORT and run.question.answers
        else None
        for run in runs
    ]


def _figure(own: Marks, first: Marks | None) -> Figure:
    """Returns the mean of the marks and the difference from the first method; at least one mark must exist.

    Args:
        own: marks of the method, one per question.
        first: marks of the first method; None if the method is the first.
    """
    mean = mean_interval([mark for mark in own if mark is not None])
    if first is None:
        return Figure(mean, None)
    pairs = zip(own, first, strict=True)
    apart = [mark - other for mark, other in pairs if mark is not None and other is not None]
    return Figure(mean, mean_interval(apart) if apart else None)


def _figure_if_any(own: Marks, first: Marks | None) -> Figure | None:
    """Returns the same as `_figure`, or None if there are no marks."""
    return _figure(own, first) if any(mark is not None for mark in own) else None
