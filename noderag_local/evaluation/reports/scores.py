"""Computes the scores of runs and prints them as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from noderag_local.evaluation import metrics
from noderag_local.evaluation.runs import Run


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


def scores(runs: Iterable[Run]) -> tuple[Score, ...]:
    """Returns the score of each method and budget, ordered by method, then budget."""
    groups: dict[tuple[str, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.method, run.budget_tokens), []).append(run)
    return tuple(_score(*key, group) for key, group in sorted(groups.items()))


def _score(method: str, budget_tokens: int, runs: Sequence[Run]) -> Score:
    answered = [(run.answer, run.question.answers) for run in runs if run.answer is not None]
    noted = [run for run in runs if run.question.supports]
    times = [run.elapsed_ms for run in runs]
    return Score(
        method=method,
        budget_tokens=budget_tokens,
        questions=len(runs),
        coverage=_percent([metrics.covers(run.context, run.question.answers) for run in runs]) or 0.0,
        raw=_percent([metrics.covers_raw(run.context, run.question.answers) for run in runs]) or 0.0,
        exact_match=_percent([metrics.exact_match(*pair) for pair in answered]),
        f1=_percent([metrics.token_f1(*pair) for pair in answered]),
        supported=_percent([metrics.supported(run.titles, run.question.supports) for run in noted]),
        tokens=fmean(run.tokens for run in runs),
        characters=fmean(len(run.context) for run in runs),
        mean_ms=fmean(times),
        p95_ms=metrics.percentile(times, 0.95),
    )


def _percent(values: Sequence[float]) -> float | None:
    return 100 * sum(values) / len(values) if values else None


def table(results: Sequence[Score]) -> str:
    """Returns the scores as a table; the last column appears only if questions name their supporting paragraphs."""
    with_supports = any(score.supported is not None for score in results)
    heading = (
        f"{'method':24} {'budget':>7} {'n':>4} {'coverage':>8} {'raw':>6} {'EM':>5} {'F1':>5} "
        f"{'tokens':>7} {'chars':>7} {'ms':>7} {'ms p95':>7}"
    )
    lines = [heading + (f" {'all supports':>12}" if with_supports else "")]
    for score in results:
        line = (
            f"{score.method:24} {score.budget_tokens:>7} {score.questions:>4} {score.coverage:>8.1f} {score.raw:>6.1f} "
            f"{_cell(score.exact_match):>5} {_cell(score.f1):>5} {score.tokens:>7.0f} {score.characters:>7.0f} "
            f"{score.mean_ms:>7.1f} {score.p95_ms:>7.1f}"
        )
        lines.append(line + (f" {_cell(score.supported):>12}" if with_supports else ""))
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
