"""Computes the scores of runs and prints them as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from noderag_local.evaluation import metrics
from noderag_local.evaluation.answer_marks import answer_mark
from noderag_local.evaluation.bootstrap import Interval, mean_interval
from noderag_local.evaluation.runs import AnswerForm, Run


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
    supported: float | None
    """Share of questions whose supporting paragraphs are all in the context, among those that have any."""
    tokens: float
    """Mean tokens of the context."""
    characters: float
    """Mean number of characters of the context."""
    mean_ms: float
    p95_ms: float
    kinds: tuple[KindScore, ...]
    """Scores of the answers by kind of question, all questions last; empty without answers or kinds."""


def scores(runs: Iterable[Run]) -> tuple[Score, ...]:
    """Returns the score of each method and budget, ordered by method, then budget."""
    groups: dict[tuple[str, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.method, run.budget_tokens), []).append(run)
    return tuple(_score(*key, group) for key, group in sorted(groups.items()))


def _score(method: str, budget_tokens: int, runs: Sequence[Run]) -> Score:
    known = [run for run in runs if run.question.answers]
    short = [
        (run.answer, run.question.answers) for run in known if run.answer is not None and run.form is AnswerForm.SHORT
    ]
    noted = [run for run in runs if run.question.supports]
    times = [run.elapsed_ms for run in runs]
    return Score(
        method=method,
        budget_tokens=budget_tokens,
        questions=len(runs),
        coverage=_percent([metrics.covers(run.context, run.question.answers) for run in known]) or 0.0,
        raw=_percent([metrics.covers_raw(run.context, run.question.answers) for run in known]) or 0.0,
        exact_match=_percent([metrics.exact_match(*pair) for pair in short]),
        f1=_percent([metrics.token_f1(*pair) for pair in short]),
        supported=_percent([metrics.supported(run.titles, run.question.supports) for run in noted]),
        tokens=fmean(run.tokens for run in runs),
        characters=fmean(len(run.context) for run in runs),
        mean_ms=fmean(times),
        p95_ms=metrics.percentile(times, 0.95),
        kinds=kind_scores([run for run in runs if run.answer is not None]),
    )


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
        _percent([run.abstained for run in runs]) or 0.0,
    )


def points_of(run: Run) -> float:
    """Returns the mark of a full answer or the F1 of a short one, between 0 and 1."""
    answer = run.answer or ""
    if run.form is AnswerForm.SHORT and run.question.answers:
        return metrics.token_f1(answer, run.question.answers)
    return answer_mark(run.question, answer, run.abstained)


def _percent(values: Sequence[float]) -> float | None:
    return 100 * sum(values) / len(values) if values else None


def table(results: Sequence[Score]) -> str:
    """Returns the scores as a table; the last column appears only if questions name their supporting paragraphs."""
    with_supports = any(score.supported is not None for score in results)
    width = max([24, *(len(score.method) for score in results)])
    heading = (
        f"{'method':{width}} {'budget':>7} {'n':>4} {'coverage':>8} {'raw':>6} {'EM':>5} {'F1':>5} "
        f"{'tokens':>7} {'chars':>7} {'ms':>7} {'ms p95':>7}"
    )
    lines = [heading + (f" {'all supports':>12}" if with_supports else "")]
    for score in results:
        line = (
            f"{score.method:{width}} {score.budget_tokens:>7} {score.questions:>4} {score.coverage:>8.1f} {score.raw:>6.1f} "
            f"{_cell(score.exact_match):>5} {_cell(score.f1):>5} {score.tokens:>7.0f} {score.characters:>7.0f} "
            f"{score.mean_ms:>7.1f} {score.p95_ms:>7.1f}"
        )
        lines.append(line + (f" {_cell(score.supported):>12}" if with_supports else ""))
    return "\n".join([*lines, *(line for score in results if score.kinds for line in ("", *_kind_lines(score)))])


def _kind_lines(score: Score) -> list[str]:
    return kind_table(f"{score.method}, {score.budget_tokens:,} tokens", score.kinds)


def kind_table(heading: str, kinds: Sequence[KindScore]) -> list[str]:
    """Returns scores by kind as the lines of a table."""
    return [f"{heading:24} {'n':>4} {'points':>7} {'95 % interval':>15} {'do not tell':>11}"] + [
        f"{one.kind or 'all':24} {one.questions:>4} {one.points.mean:>7.1f} "
        f"{f'{one.points.low:.1f} to {one.points.high:.1f}':>15} {one.abstained:>11.1f}"
        for one in kinds
    ]


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
