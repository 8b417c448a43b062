"""Estimates how many tokens and how much time the remaining work takes, at measured rates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from noderag_local.graph.summaries.model_stage import Stage, cached_prompt, further_request, is_repeating
from noderag_local.models.llm.engine import Engine, Request, never
from noderag_local.models.llm.request_hash import request_hash
from noderag_local.pipeline.backlog import backlog
from noderag_local.pipeline.budget import Budget, WorkClock
from noderag_local.pipeline.plan import Part, is_step, stages_of
from noderag_local.pipeline.stage_run import StageRun
from noderag_local.storage.database.fact_names import MODEL_RATES
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.llm_cache import LlmCache

SAMPLED = 100
"""Number of requests whose length is counted to estimate the length of all."""
MEASURED_CALLS = 4
"""Maximal number of calls for measuring a model that was never used in this vault."""
MEASURING_SECONDS = 10.0
"""Seconds after which measuring starts no further call; one call of a slow model may take a minute."""
LONGEST_MEASURING_SECONDS = 60.0
"""Seconds after which measuring gives up; the estimate then has no time."""
GUESSED_WRITTEN = 0.5
"""Expected share of a request's token limit that the model writes, used before anything was measured."""


class Forecast:
    """Estimates the tokens of a stage's pending requests from a sample of them."""

    def __init__(self, store: Store, stage: Stage, engine: Engine, pending: Sequence[int]) -> None:
        self._step = max(1, -(-len(pending) // SAMPLED))
        self._sample = [_sampled(store, stage, engine, node) for node in pending[:: self._step]]
        self.items = len(pending)
        lengths = engine.count_many([one.request.messages[-1].content for one in self._sample if one])
        counts = iter(lengths)
        self._read = [one.times * next(counts) if one else 0 for one in self._sample]

    def read_tokens(self, from_item: int = 0) -> float:
        """Returns the tokens of the requests from an item on, without shared instructions and cached requests."""
        total = 0.0
        for number, length in enumerate(self._read):
            first = number * self._step
            covered = min(first + self._step, self.items) - max(first, from_item)
            total += length * max(covered, 0)
        return total

    def guessed_ratio(self) -> float:
        """Returns the expected ratio of written to read tokens, for a model that was never measured."""
        most = sum(one.times * one.request.max_tokens for one in self._sample if one)
        return GUESSED_WRITTEN * most / sum(self._read) if most and sum(self._read) else 0.0


@dataclass(frozen=True, slots=True)
class _Sampled:
    """The next request of an item that has no answer yet, and how many of its length the item may take."""

    request: Request
    times: int


def _sampled(store: Store, stage: Stage, engine: Engine, node: int) -> _Sampled | None:
    """Returns what an item still takes; None if the model need not be asked."""
    most = stage.most_requests if is_repeating(stage) else 1
    texts: list[str] = []
    request = stage.request(store, node)
    while request is not None:
        answer = LlmCache(store).get(engine.identity, cached_prompt(stage), request_hash(request))
        if answer is None:
            return _Sampled(request, most - len(texts))
        texts.append(answer.output)
        request = further_request(stage, store, node, texts)
    return None


@dataclass(frozen=True, slots=True)
class Rates:
    """Measured speed of a model in this vault."""

    tokens_per_second: float | None
    """Tokens read and written a second; None if not measured yet."""
    ratios: dict[str, float]
    """Stage -> number of tokens written for each token read."""


def read_rates(store: Store, identity: str) -> Rates:
    """Returns the rates that earlier runs have stored."""
    noted = json.loads(store.facts.get(MODEL_RATES, "{}")).get(identity, {})
    return Rates(noted.get("tokens_per_second"), dict(noted.get("ratios", {})))


def write_rates(store: Store, identity: str, rates: Rates) -> None:
    """Stores rates for the estimates of later runs."""
    noted = json.loads(store.facts.get(MODEL_RATES, "{}"))
    noted[identity] = {"tokens_per_second": rates.tokens_per_second, "ratios": rates.ratios}
    store.facts[MODEL_RATES] = json.dumps(noted, sort_keys=True)


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """Estimated work of one stage."""

    name: str
    items: int
    """Number of items to do; for stages after the first, judged by the present graph."""
    tokens: int
    """Number of tokens to read and write."""
    seconds: float | None
    """Seconds of work; None if the model was not measured yet."""
    outdated: int = 0
    """Number of the items that were done with another version of the prompt."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated work of an enrichment before it starts."""

    stages: tuple[StageEstimate, ...]
    tokens_per_second: float | None
    """Tokens a second on which the estimate is based; None if the model was not measured yet."""

    @property
    def seconds(self) -> float | None:
        """Seconds of all stages together; None if any is unknown."""
        known = [stage.seconds for stage in self.stages if stage.seconds is not None]
        return sum(known) if len(known) == len(self.stages) else None


def estimate(
    store: Store,
    plan: Iterable[Part],
    engine: Engine,
    budget: Budget,
    measure: bool = False,
    cancelled: Callable[[], bool] = never,
    told: Callable[[str], None] = lambda _: None,
) -> Estimate:
    """Estimates the items, tokens and time of each stage from the rates of earlier runs.

    Steps before the first stage run now: they take seconds and make the first stage's items.

    Args:
        store: the vault, open for writing.
        plan: stages and steps, in order.
        engine: the language model.
        budget: limits of the run; only `share` and `keep_old` are used.
        measure: whether a model that was never used in this vault does a few items to measure its speed. Their results are
            kept. With a slow model this takes up to a minute.
        cancelled: called often; True ends the measuring, and the estimate has no time.
        told: called with a line for the user that says what is being waited for.

    Raises:
        ModelError: the engine failed.
    """
    parts = list(plan)
    for part in parts:
        if not is_step(part):
            break
        if part.needed(store):
            told(f"Bringing {part.name} up to date …")
            part.run(store, lambda _done, _total: None, cancelled)
    stages = list(stages_of(parts))
    rates = read_rates(store, engine.identity)
    if measure and rates.tokens_per_second is None and stages:
        rates = _measured(store, stages[0], engine, cancelled, told)
    found = []
    for stage in stages:
        whole = backlog(store, stage, engine.identity, keep_old=budget.keep_old)
        todo = whole.within(budget.share if stage is stages[0] else None)
        forecast = Forecast(store, stage, engine, todo.pending)
        tokens = forecast.read_tokens() * (1 + rates.ratios.get(stage.name, forecast.guessed_ratio()))
        seconds = tokens / rates.tokens_per_second if rates.tokens_per_second else None
        found.append(StageEstimate(stage.name, len(todo.pending), round(tokens), seconds, len(todo.outdated)))
    return Estimate(tuple(found), rates.tokens_per_second)


def _measured(
    store: Store, stage: Stage, engine: Engine, cancelled: Callable[[], bool], told: Callable[[str], None]
) -> Rates:
    """Measures a model's speed with the first items of a stage, whose results are kept."""
    clock = WorkClock()

    def asked() -> bool:
        clock.seconds()
        return cancelled() or clock.seconds() >= LONGEST_MEASURING_SECONDS

    pending = backlog(store, stage, engine.identity).pending[:MEASURED_CALLS]
    if pending:
        told(
            f"Measuring the speed of {engine.name} with the first items of {stage.name}; their results are kept. "
            "This takes a minute at most. Ctrl-C skips it."
        )
    asking = StageRun(store, stage, engine, pending, lambda _: None)
    with clock.running():
        asking.run(lambda: not asked() and clock.seconds() < MEASURING_SECONDS, asked)
    tally = asking.tally
    tokens = tally.read_tokens + tally.written_tokens
    rate = tokens / clock.seconds() if tokens and clock.seconds() > 0 else None
    rates = Rates(rate, {stage.name: tally.written_tokens / tally.read_tokens} if tally.read_tokens else {})
    if rate is not None:
        write_rates(store, engine.identity, rates)
    return rates
