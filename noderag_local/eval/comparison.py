"""Methods side by side: every figure of a report, with how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from noderag_local.eval import metrics
from noderag_local.eval.bootstrap import Interval, mean_interval
from noderag_local.eval.dump import Making
from noderag_local.eval.report import Score, scores
from noderag_local.eval.runs import Run


@dataclass(frozen=True, slots=True)
class Contestant:
    """A method over a vault."""

    vault: str
    """Its name; "" where there is only one."""
    method: str

    @property
    def name(self) -> str:
        """As tables and plots call it."""
        return f"{self.method}, {self.vault}" if self.vault else self.method


@dataclass(frozen=True, slots=True)
class Row:
    """One method at one budget. Shares in percent."""

    contestant: Contestant
    score: Score
    coverage: Interval
    behind: Interval | None
    """Coverage less that of the first method, question by question; None for the first one itself."""
    f1: Interval | None
    median_ms: float
    answering_tokens: float
    """That the language model read and wrote for an answer, on average; 0 where it was not asked."""
    indexing_tokens: int
    """That the language model read and wrote for what the method draws on."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a report shows."""

    makings: tuple[Making, ...]
    questions: int
    rows: tuple[Row, ...]
    """By budget, then in the order of the dumps and methods."""

    @property
    def budgets(self) -> tuple[int, ...]:
        """Ascending."""
        return tuple(sorted({row.score.budget_tokens for row in self.rows}))


def compared(dumps: Sequence[tuple[Making, Sequence[Run]]], draws_on: Mapping[str, Sequence[str]]) -> Comparison:
    """All methods of all dumps over the questions that every one of them has at every budget.

    Args:
        dumps: not empty; the first run's method is what the others are held against.
        draws_on: method -> stages of enriching whose results it uses.
    """
    several = len(dumps) > 1
    groups: dict[int, dict[Contestant, dict[str, Run]]] = {}
    costs: dict[Contestant, int] = {}
    for making, runs in dumps:
        for run in runs:
            contestant = Contestant(making.name if several else "", run.method)
            groups.setdefault(run.budget_tokens, {}).setdefault(contestant, {})[run.question.id] = run
            costs[contestant] = sum(making.stage_tokens.get(stage, 0) for stage in draws_on.get(run.method, ()))
    asked = [set(runs) for of_budget in groups.values() for runs in of_budget.values()]
    shared = sorted(set.intersection(*asked)) if asked else []
    rows = [
        row
        for _, of_budget in sorted(groups.items())
        for row in _rows({one: [runs[id] for id in shared] for one, runs in of_budget.items()}, costs)
    ]
    return Comparison(tuple(making for making, _ in dumps), len(shared), tuple(rows if shared else ()))


def _rows(runs_of: Mapping[Contestant, Sequence[Run]], costs: Mapping[Contestant, int]) -> list[Row]:
    """One budget's rows, all over the same questions in the same order."""
    first: list[float] | None = None
    rows = []
    for contestant, runs in runs_of.items():
        covered = [100.0 * metrics.covers(run.context, run.question.answers) for run in runs]
        behind = None
        if first is None:
            first = covered
        else:
            behind = mean_interval([own - other for own, other in zip(covered, first, strict=True)])
        f1s = [100.0 * metrics.token_f1(run.answer, run.question.answers) for run in runs if run.answer is not None]
        rows.append(
            Row(
                contestant=contestant,
                score=scores(runs)[0],
                coverage=mean_interval(covered),
                behind=behind,
                f1=mean_interval(f1s) if f1s else None,
                median_ms=median(run.elapsed_ms for run in runs),
                answering_tokens=sum(run.llm_tokens for run in runs) / len(runs),
                indexing_tokens=costs[contestant],
            )
        )
    return rows
