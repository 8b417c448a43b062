"""Computes the scores of runs, for each method and budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from noderag_local.domain.model_use import NOTHING_ASKED, ModelUse
from noderag_local.evaluation import metrics
from noderag_local.evaluation.bootstrap import Interval, mean_interval
from noderag_local.evaluation.marks import MEASURES, RECALL_DEPTHS, MarkedRun


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
    coverage: float | None
    """Share of questions whose answer is in the context as whole tokens; None if no question has an answer in one text."""
    raw: float | None
    """The same as a substring."""
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


def scores(marked: Iterable[MarkedRun]) -> tuple[Score, ...]:
    """Returns the score of each method and budget, ordered by method, then budget; the first run's method comes first."""
    groups: dict[tuple[str, int], list[MarkedRun]] = {}
    for one in marked:
        groups.setdefault((one.run.method, one.run.budget_tokens), []).append(one)
    first = next(iter(groups), ("", 0))[0]

    def of_first(method: str, budget: int) -> dict[str, MarkedRun]:
        """Returns the runs of the first method by question, for each other method to be compared with."""
        asked = groups.get((first, budget), []) if method != first else []
        return {one.run.question.id: one for one in asked}

    return tuple(
        _score(*key, groups[key], of_first(*key)) for key in sorted(groups, key=lambda key: (key[0] != first, *key))
    )


def _score(method: str, budget_tokens: int, own: Sequence[MarkedRun], first: Mapping[str, MarkedRun]) -> Score:
    """Returns the score of a method at a budget.

    Args:
        method: name of the method.
        budget_tokens: its budget.
        own: its runs.
        first: runs of the first method by question; empty for the first method itself.
    """
    means = {name: _mean(one.marks[name] for one in own) for name in MEASURES}
    runs = [one.run for one in own]
    times = [run.elapsed_ms for run in runs]
    uses = [run.use for run in runs if run.use is not None]
    # By id, as in reports, so that both draw the same samples.
    by_id = sorted(own, key=lambda one: one.run.question.id)
    pairs = [(one, first[one.run.question.id]) for one in by_id if one.run.question.id in first]
    return Score(
        method=method,
        budget_tokens=budget_tokens,
        questions=len(runs),
        coverage=means["coverage"],
        raw=_mean(one.raw for one in own),
        exact_match=means["EM"],
        f1=means["F1"],
        accuracy=means["accuracy"],
        supported=means["supports"],
        recall_at_2=means["R@2"],
        recall_at_5=means["R@5"],
        short_rankings=sum(run.ranking is not None and len(run.ranking) < max(RECALL_DEPTHS) for run in runs),
        tokens=fmean(run.tokens for run in runs),
        characters=fmean(len(run.context) for run in runs),
        mean_ms=fmean(times),
        p95_ms=metrics.percentile(times, 0.95),
        seconds=fmean(run.seconds for run in runs),
        use=sum(uses, NOTHING_ASKED) if len(uses) == len(runs) else None,
        against_first=_differences(pairs),
        kinds=kind_scores(own),
    )


def _differences(pairs: Sequence[tuple[MarkedRun, MarkedRun]]) -> dict[str, Interval]:
    """Returns the mean differences by measure, from the runs of a method and of the first one for the same questions."""
    made = {}
    for name in MEASURES:
        both = [(own.marks[name], other.marks[name]) for own, other in pairs]
        apart = [own - other for own, other in both if own is not None and other is not None]
        if apart:
            made[name] = mean_interval(apart)
    return made


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def kind_scores(marked: Iterable[MarkedRun]) -> tuple[KindScore, ...]:
    """Returns the scores of the runs that have answers by kind of question, all questions last; nothing without kinds."""
    answered = [one for one in marked if one.points is not None]
    by_kind: dict[str, list[MarkedRun]] = {}
    for one in answered:
        by_kind.setdefault(one.run.question.kind, []).append(one)
    if not any(by_kind):
        return ()
    return tuple(_kind_score(kind, runs) for kind, runs in [*sorted(by_kind.items()), ("", answered)] if runs)


def _kind_score(kind: str, answered: Sequence[MarkedRun]) -> KindScore:
    return KindScore(
        kind,
        len(answered),
        mean_interval([one.points for one in answered if one.points is not None]),
        100 * fmean(one.run.abstained for one in answered),
    )
