"""Computes the scores of runs, for each method and budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import fmean

from noderag_local.domain.model_use import NOTHING_ASKED, ModelUse
from noderag_local.evaluation import marks, metrics
from noderag_local.evaluation.answer_marks import answer_mark
from noderag_local.evaluation.bootstrap import Interval, mean_interval
from noderag_local.evaluation.runs import AnswerForm, Run

_Marks = Mapping[str, float | None]
"""Marks of a run by measure; None where there is nothing to mark."""


@dataclass(frozen=True, slots=True)
class KindScore:
    """Score of the answers to the questions of one kind, in percent."""

    kind: str
    """Kind of the questions; "" for all questions."""
    questions: int
    points: Interval
    """Mean mark of full answers, mean F1 of short ones, with the interval."""
    abstained: float
    """Share of questions to which the answer was that the notes do not contain it."""


@dataclass(frozen=True, slots=True)
class Score:
    """Score of one method at one budget in percent; None for what could not be scored."""

    method: str
    budget_tokens: int
    questions: int
    coverage: float
    """Share of questions whose answer is in the context as whole tokens."""
    raw: float
    """Share of questions whose answer is in the context as a substring."""
    exact_match: float | None
    f1: float | None
    accuracy: float | None
    """Share of answers, of any length, that contain the known answer as whole tokens."""
    supported: float | None
    """Share of questions whose supporting paragraphs are all in the context, among those that have any."""
    recall_at_2: float | None
    """Share of the supporting paragraphs among the first two documents that the search found, as a mean over the questions."""
    recall_at_5: float | None
    """The same among the first five documents."""
    short_rankings: int
    """Questions with fewer than five documents in the context, for which `recall_at_5` depends on the budget."""
    tokens: float
    """Mean tokens of the context."""
    characters: float
    """Mean number of characters of the context."""
    mean_ms: float
    p95_ms: float
    seconds: float
    """Mean wall time of a question in seconds, with its answer if it was answered; 0 if unknown."""
    use: ModelUse | None
    """Use of the language model for all questions together; None if unknown."""
    against_first: Mapping[str, Interval]
    """Mean difference to the first method in points, question by question, by the name of the measure; empty for the first
    method, and for a measure that one of both has no mark of."""
    kinds: tuple[KindScore, ...]
    """Scores of the answers by kind of question, all questions last; empty without answers or kinds."""


def scores(runs: Iterable[Run]) -> tuple[Score, ...]:
    """Returns the score of each method and budget, ordered by method, then budget; the first run's method comes first."""
    groups: dict[tuple[str, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.method, run.budget_tokens), []).append(run)
    marked = {key: [_marks(run) for run in group] for key, group in groups.items()}
    first = next(iter(groups), ("", 0))[0]

    def of_first(method: str, budget: int) -> dict[str, _Marks]:
        """Returns the marks of the first method by question, for each other method to be compared with."""
        asked = groups.get((first, budget), []) if method != first else []
        return {run.question.id: one for run, one in zip(asked, marked.get((first, budget), []), strict=False)}

    return tuple(
        _score(*key, groups[key], marked[key], of_first(*key))
        for key in sorted(groups, key=lambda key: (key[0] != first, *key))
    )


def _marks(run: Run) -> _Marks:
    return {name: mark(run) for name, mark in marks.MEASURES.items()}


def _score(
    method: str, budget_tokens: int, runs: Sequence[Run], own: Sequence[_Marks], first: Mapping[str, _Marks]
) -> Score:
    """Returns the score of a method at a budget.

    Args:
        method: name of the method.
        budget_tokens: its budget.
        runs: its runs.
        own: marks of each run.
        first: marks of the first method by question; empty for the first method itself.
    """
    means = {name: _mean(one[name] for one in own) for name in marks.MEASURES}
    times = [run.elapsed_ms for run in runs]
    uses = [run.use for run in runs if run.use is not None]
    # By id, as in reports, so that both draw the same samples.
    by_id = sorted(zip([run.question.id for run in runs], own, strict=True), key=itemgetter(0))
    pairs = [(one, first[id]) for id, one in by_id if id in first]
    return Score(
        method=method,
        budget_tokens=budget_tokens,
        questions=len(runs),
        coverage=means["coverage"] or 0.0,
        raw=_mean(map(marks.raw_coverage, runs)) or 0.0,
        exact_match=means["EM"],
        f1=means["F1"],
        accuracy=means["accuracy"],
        supported=means["supports"],
        recall_at_2=means["R@2"],
        recall_at_5=means["R@5"],
        short_rankings=sum(run.ranking is not None and len(run.ranking) < max(marks.RECALL_DEPTHS) for run in runs),
        tokens=fmean(run.tokens for run in runs),
        characters=fmean(len(run.context) for run in runs),
        mean_ms=fmean(times),
        p95_ms=metrics.percentile(times, 0.95),
        seconds=fmean(run.seconds for run in runs),
        use=sum(uses, NOTHING_ASKED) if len(uses) == len(runs) else None,
        against_first=_differences(pairs),
        kinds=kind_scores([run for run in runs if run.answer is not None]),
    )


def _differences(pairs: Sequence[tuple[_Marks, _Marks]]) -> dict[str, Interval]:
    """Returns the mean differences by measure, from the marks of a method and of the first one for the same questions."""
    made = {}
    for name in marks.MEASURES:
        both = [(own[name], other[name]) for own, other in pairs]
        apart = [own - other for own, other in both if own is not None and other is not None]
        if apart:
            made[name] = mean_interval(apart)
    return made


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def kind_scores(answered: Sequence[Run]) -> tuple[KindScore, ...]:
    """Returns the scores of runs with answers by kind of question, all questions last; nothing without kinds."""
    by_kind: dict[str, list[Run]] = {}
    for run in answered:
        by_kind.setdefault(run.question.kind, []).append(run)
    if not any(by_kind):
        return ()
    return tuple(_kind_score(kind, runs) for kind, runs in [*sorted(by_kind.items()), ("", list(answered))] if runs)


def _kind_score(kind: str, runs: Sequence[Run]) -> KindScore:
    return KindScore(
        kind,
        len(runs),
        mean_interval([100 * points_of(run) for run in runs]),
        100 * fmean(run.abstained for run in runs),
    )


def points_of(run: Run) -> float:
    """Returns the mark of a full answer or the F1 of a short one, between 0 and 1."""
    answer = run.answer or ""
    if run.form is AnswerForm.SHORT and run.question.answers:
        return metrics.token_f1(answer, run.question.answers)
    return answer_mark(run.question, answer, run.abstained)
