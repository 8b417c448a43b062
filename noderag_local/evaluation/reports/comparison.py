"""Compares methods and computes every figure of a report with its confidence interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from noderag_local.domain.model_use import NOTHING_ASKED, ModelUse
from noderag_local.domain.stage_progress import StageProgress
from noderag_local.evaluation.bootstrap import Interval, mean_interval
from noderag_local.evaluation.marks import MEASURES, MarkedRun
from noderag_local.evaluation.prices import Prices
from noderag_local.evaluation.provenance import Provenance
from noderag_local.evaluation.reports.scores import Score, scores

Asked = tuple[str, str]
"""Id and text of a question; several data sets number their questions from 1."""
DumpedRuns = tuple[Provenance, Sequence[MarkedRun]]
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

    stages: tuple[str, ...]
    """Stages of enriching that the method uses."""
    indexing_tokens: int
    """Tokens that the language model read and wrote for the stages that the method uses."""
    indexing_use: ModelUse | None
    """Requests, and tokens read and written, for these stages; None if unknown, as for a dump of an earlier version."""
    indexing_seconds: float | None
    """Time for these tokens at the speed measured in the vault; None if unknown."""
    size_bytes: int
    """Size of the whole vault."""
    unfinished: tuple[StageProgress, ...] | None
    """Stages that the method uses and that have not run to their end; None if unknown, as for a dump of an earlier version."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """The figures of one method at one budget."""

    contestant: Contestant
    score: Score
    figures: Mapping[str, Figure]
    """The figure of each measure of `MEASURES` that marks any of the questions, by its name."""
    median_ms: float
    answering_tokens: float
    """Mean tokens that the language model read and wrote for search and answer; 0 without a model."""
    indexing_price: float | None
    """Price of the model's work for the stages that the method uses; None without prices, or if the work is unknown."""
    answering_price: float | None
    """Price of the model's work for all questions together; None without prices, or if the work is unknown."""
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
    corpora: list[tuple[set[Asked], list[DumpedRuns]]] = []
    for dump in dumps:
        asked = {_asked(one) for one in dump[1]}
        for known, held in corpora:
            if known & asked:
                known |= asked
                held.append(dump)
                break
        else:
            corpora.append((asked, [dump]))
    return [held for _, held in corpora]


def compared(
    dumps: Sequence[DumpedRuns], stages_used: Callable[[str], Sequence[str]], prices: Prices | None = None
) -> Comparison:
    """Compares the methods of all dumps on the questions that every method was asked at every budget.

    Args:
        dumps: not empty; the method of the first run is the one that others are compared with.
        stages_used: returns the stages of enriching whose results a method uses.
        prices: prices of a paid service, for what the answers would cost there; None for no prices.
    """
    dumps = _told_apart(dumps)
    several = len(dumps) > 1
    groups: dict[int, dict[Contestant, dict[Asked, MarkedRun]]] = {}
    costs: dict[Contestant, IndexingCost] = {}
    for provenance, runs in dumps:
        for one in runs:
            contestant = Contestant(provenance.name if several else "", one.run.method)
            of_budget = groups.setdefault(one.run.budget_tokens, {})
            of_budget.setdefault(contestant, {})[_asked(one)] = one
            if contestant not in costs:
                costs[contestant] = _cost(provenance, stages_used(one.run.method))
    of_each = [set(runs) for of_budget in groups.values() for runs in of_budget.values()]
    shared = sorted(set.intersection(*of_each)) if of_each else []
    rows = [
        row
        for _, of_budget in sorted(groups.items())
        for row in _rows({one: [runs[asked] for asked in shared] for one, runs in of_budget.items()}, costs, prices)
        if shared
    ]
    return Comparison(tuple(provenance for provenance, _ in dumps), len(shared), tuple(rows))


def _asked(one: MarkedRun) -> Asked:
    return one.run.question.id, one.run.question.question


def _told_apart(dumps: Sequence[DumpedRuns]) -> list[DumpedRuns]:
    """Returns the dumps with another name for each state of a vault and each model: folders of one name are "notes", "notes 2"."""
    known: dict[str, list[tuple[str, str]]] = {}
    apart = []
    for provenance, runs in dumps:
        of_name = known.setdefault(provenance.name, [])
        made_by = provenance.state, provenance.model
        if made_by not in of_name:
            of_name.append(made_by)
        number = 1 + of_name.index(made_by)
        apart.append((replace(provenance, name=f"{provenance.name} {number}") if number > 1 else provenance, runs))
    return apart


def _cost(provenance: Provenance, stages: Sequence[str]) -> IndexingCost:
    tokens = sum(provenance.stage_tokens.get(stage, 0) for stage in stages)
    seconds = tokens / provenance.tokens_per_second if provenance.tokens_per_second else None
    is_known = tokens == 0 or bool(provenance.stage_use)
    use = sum((provenance.stage_use.get(stage, NOTHING_ASKED) for stage in stages), NOTHING_ASKED) if is_known else None
    states = provenance.stages
    unfinished = None if states is None else tuple(one for one in states if one.name in stages and not one.is_finished)
    return IndexingCost(tuple(stages), tokens, use, seconds if tokens else 0.0, provenance.size_bytes, unfinished)


def _rows(
    runs_of: Mapping[Contestant, Sequence[MarkedRun]], costs: Mapping[Contestant, IndexingCost], prices: Prices | None
) -> list[ComparisonRow]:
    """Returns the rows of one budget, all on the same questions in the same order."""
    first: Mapping[str, Marks] = {}
    rows = []
    for contestant, marked in runs_of.items():
        own = {name: [one.marks[name] for one in marked] for name in MEASURES}
        score = scores(marked)[0]
        runs = [one.run for one in marked]
        rows.append(
            ComparisonRow(
                contestant=contestant,
                score=score,
                figures={name: _figure(own[name], first.get(name)) for name in own if _is_marked(own[name])},
                median_ms=median(run.elapsed_ms for run in runs),
                answering_tokens=sum(run.llm_tokens for run in runs) / len(runs),
                indexing_price=_price(costs[contestant].indexing_use, prices),
                answering_price=_price(score.use, prices),
                cost=costs[contestant],
            )
        )
        first = first or own
    return rows


def _price(use: ModelUse | None, prices: Prices | None) -> float | None:
    return prices.cost(use) if prices and use is not None else None


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


def _is_marked(own: Marks) -> bool:
    return any(mark is not None for mark in own)
