"""Runs one enrichment: the stages and steps of a plan, in order, within a budget.

The first stage gets three quarters of a time budget and the other stages the rest; time that they leave goes back to the
first. Steps always run, because they are quick and make the results searchable. A step before another stage runs only once a
run: a second time, it would discard what that stage has just made.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property

from noderag_local.domain.errors import ModelError
from noderag_local.graph.summaries.model_stage import Stage, Step
from noderag_local.models.llm.engine import Completion, Engine, never
from noderag_local.pipeline.backlog import Backlog, backlog, left
from noderag_local.pipeline.budget import FIRST_STAGE_SHARE, GRACE, Budget, WorkClock
from noderag_local.pipeline.caches import PREPARING, Caches
from noderag_local.pipeline.enrichment_report import EnrichProgress, EnrichReport, StageReport
from noderag_local.pipeline.forecast import Forecast, Rates, read_rates, write_rates
from noderag_local.pipeline.plan import Part, is_stage, is_step, stages_of
from noderag_local.pipeline.stage_run import StageRun, StageTally
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.llm_cache import LlmCache
from noderag_local.storage.graph.work_items import WorkItemRows
from noderag_local.system.log.log_lines import Term
from noderag_local.system.printing.recent_rate import RecentRate

PAUSE_SECONDS = 0.1
"""Seconds between two checks whether a pause has ended."""
RATE_SECONDS = 60.0
"""Seconds over which the token rate is averaged, since parallel requests finish in bursts."""
LEAST_ANSWERS = 4
"""Minimal number of answers for computing the token rate; a single one says nothing about requests that run in parallel."""
LAST_ANSWERS = 32
"""Number of most recent answers from which the duration of running requests is predicted."""

_log = logging.getLogger(__name__)


def enrich(
    store: Store,
    plan: Sequence[Part],
    engine: Engine,
    budget: Budget,
    progress: Callable[[EnrichProgress], None] = lambda _: None,
    cancelled: Callable[[], bool] = never,
    paused: Callable[[], bool] = never,
) -> EnrichReport:
    """Continues the language model's work, most important items first; after a kill, the next run continues.

    Args:
        store: the vault, open for writing, with linked and embedded texts.
        plan: stages and steps, in order.
        engine: the language model.
        budget: limits of the run.
        progress: called at each progress.
        cancelled: called many times a second; True drops running requests, runs the steps and returns the report. So does the
            end of the time.
        paused: called often; no request starts while it returns True, but running requests finish.

    Raises:
        StoreError: the vault cannot be written, for example because the disk is full. Finished work is kept.
    """
    return _Enrichment(store, plan, engine, budget, progress, cancelled, paused).run()


class _Enrichment:
    def __init__(
        self,
        store: Store,
        plan: Sequence[Part],
        engine: Engine,
        budget: Budget,
        progress: Callable[[EnrichProgress], None],
        cancelled: Callable[[], bool],
        paused: Callable[[], bool],
    ) -> None:
        self._store = store
        self._plan = plan
        self._engine = engine
        self._budget = budget
        self._progress = progress
        self._cancelled = cancelled
        self._paused = paused
        self._clock = WorkClock()
        self._rates = read_rates(store, engine.identity)
        self._error = ""
        self._stages: dict[str, _StageRun] = {}
        self._steps: list[tuple[str, float]] = []

    def run(self) -> EnrichReport:
        started, caches = time.monotonic(), Caches(self._store)
        first = next(stages_of(self._plan), None)
        for part in self._plan:
            if is_stage(part):
                self._ask(part, is_first=part is first)
            elif is_step(part):
                self._step(part)
        if first is not None and self._ask_again(first):
            for step in self._last_steps():
                self._step(step)
        self._note_rates()
        reports = tuple(self._report(run) for run in self._stages.values())
        _log_reports(reports)
        if reports and not any(report.left for report in reports):
            # Other layers may be unfinished or dropped; their answers save calls later.
            LlmCache(self._store).sweep(self._stages)
        self._prepare(caches)
        self._store.checkpoint()
        overview = Overview(self._store)
        return EnrichReport(
            stages=reports,
            steps=tuple(self._steps),
            nodes=overview.nodes(),
            edges=overview.edges(),
            stopped=self._cancelled(),
            error=self._error,
            elapsed_seconds=time.monotonic() - started,
        )

    def _prepare(self, caches: Caches) -> None:
        """Brings the caches up to what the run has made, unless the user waits for its end."""
        if self._cancelled():
            caches.stop()
        else:
            caches.bring_up(lambda done, total: self._progress(EnrichProgress(PREPARING, done, total)), None)

    def _ask(self, stage: Stage, *, is_first: bool) -> None:
        """Runs a stage for the first time in this enrichment, within its share of the time."""
        whole = backlog(self._store, stage, self._engine.identity, keep_old=self._budget.keep_old)
        todo = whole.within(self._budget.share) if is_first else whole
        run = _StageRun(self._store, stage, self._engine, whole, todo, self._clock, self._rates, self._progress)
        self._stages[stage.name] = run
        until = self._budget.seconds
        if until is not None and is_first:
            until *= FIRST_STAGE_SHARE
        self._go_on(run, until)

    def _ask_again(self, first: Stage) -> bool:
        """Runs the first stage again in the time that is left; returns whether it made progress."""
        run = self._stages[first.name]
        before = run.tally.settled
        self._go_on(run, self._budget.seconds)
        return run.tally.settled > before

    def _go_on(self, run: _StageRun, until: float | None) -> None:
        if self._error or self._cancelled() or not run.asking.has_more:
            return
        try:
            with self._clock.running():
                self._ask_until(run, until)
        except ModelError as error:
            _log.error("the language model could not go on", exc_info=error)
            self._error = str(error)

    def _ask_until(self, run: _StageRun, until: float | None) -> None:
        rate = self._tokens_per_second()

        def in_time() -> bool:
            return until is None or self._clock.seconds() + run.ending_seconds(rate) < until

        def stopped() -> bool:
            # The clock must be called often to notice a suspended process.
            return self._clock.seconds() >= self._last_second or self._cancelled()

        run.until = until
        run.tell()
        while run.asking.has_more and in_time() and not stopped():
            if self._paused():
                self._wait()
            started = self._clock.seconds()
            try:
                run.asking.run(lambda: in_time() and not self._paused() and not stopped(), stopped)
            finally:
                run.seconds += self._clock.seconds() - started

    @property
    def _last_second(self) -> float:
        """Time on the work clock at which running requests are dropped."""
        return math.inf if self._budget.seconds is None else (1 + GRACE) * self._budget.seconds

    def _tokens_per_second(self) -> float | None:
        """Returns the speed of the model in this run so far or, before its first stage, in earlier ones; None if it is not known."""
        tokens = sum(run.tally.read_tokens + run.tally.written_tokens for run in self._stages.values())
        seconds = sum(run.seconds for run in self._stages.values())
        return tokens / seconds if tokens and seconds > 0 else self._rates.tokens_per_second

    def _wait(self) -> None:
        with self._clock.halted():
            while self._paused() and not self._cancelled():
                time.sleep(PAUSE_SECONDS)

    def _step(self, step: Step) -> None:
        if not step.needed(self._store):
            return
        started = time.monotonic()
        step.run(self._store, lambda done, total: self._progress(EnrichProgress(step.name, done, total)), never)
        took = time.monotonic() - started
        self._steps.append((step.name, took))
        _log.info("step %s took %.2f s", Term(step.name), took)

    def _last_steps(self) -> list[Step]:
        found: list[Step] = []
        for part in self._plan:
            if is_stage(part):
                found.clear()
            elif is_step(part):
                found.append(part)
        return found

    def _report(self, run: _StageRun) -> StageReport:
        counts = WorkItemRows(self._store).counts(run.stage.name)
        tally = run.tally
        return StageReport(
            name=run.stage.name,
            done=counts.done,
            left=left(self._store, run.stage, self._engine.identity, run.whole.items),
            failed=counts.failed,
            accepted=counts.accepted,
            rejected=counts.rejected,
            calls=tally.calls,
            cached=tally.cached,
            read_tokens=tally.read_tokens,
            written_tokens=tally.written_tokens,
            seconds=run.seconds,
        )

    def _note_rates(self) -> None:
        runs = [run for run in self._stages.values() if run.tally.read_tokens]
        tokens = sum(run.tally.read_tokens + run.tally.written_tokens for run in runs)
        seconds = sum(run.seconds for run in runs)
        if tokens and seconds > 0:
            ratios = {run.stage.name: run.tally.written_tokens / run.tally.read_tokens for run in runs}
            rates = Rates(tokens / seconds, self._rates.ratios | ratios)
            write_rates(self._store, self._engine.identity, rates)


def _log_reports(reports: Sequence[StageReport]) -> None:
    for one in reports:
        _log.info(
            "stage %s: %d done, %d left, %d failed, %d statements accepted, %d rejected, %d calls, %d tokens, %.2f s",
            *(Term(one.name), one.done, one.left, one.failed, one.accepted, one.rejected, one.calls),
            *(one.read_tokens + one.written_tokens, one.seconds),
        )


class _StageRun:
    """A stage in one enrichment, with its progress and rates."""

    def __init__(
        self,
        store: Store,
        stage: Stage,
        engine: Engine,
        whole: Backlog,
        todo: Backlog,
        clock: WorkClock,
        rates: Rates,
        progress: Callable[[EnrichProgress], None],
    ) -> None:
        self.stage = stage
        self.whole = whole
        self.seconds = 0.0
        self.until: float | None = None
        """Seconds on the work clock at which the stage must stop."""
        self.asking = StageRun(store, stage, engine, todo.pending, self._told)
        self._todo = todo
        self._store = store
        self._engine = engine
        self._clock = clock
        self._rates = rates
        self._rate = RecentRate(RATE_SECONDS, LEAST_ANSWERS)
        self._tokens = 0
        self._durations: deque[float] = deque(maxlen=LAST_ANSWERS)
        self._progress = progress

    @property
    def tally(self) -> StageTally:
        return self.asking.tally

    def ending_seconds(self, rate: float | None) -> float:
        """Returns the seconds until the running requests and a further one will have ended.

        They are judged by earlier requests of the stage or, before the first has ended, by their tokens. If nothing is known of
        the model's speed, the first request is begun, and the second waits for it.

        Args:
            rate: tokens that the model reads and writes a second; None if it is not known.
        """
        if self._durations:
            return sum(self._durations) / len(self._durations)
        if rate is None:
            return math.inf if self.asking.running else 0.0
        return (self.asking.running + 1) * self._request_tokens / rate

    @cached_property
    def _request_tokens(self) -> float:
        """Expected tokens of a request, read and written."""
        if not self._forecast.items:
            return 0.0
        ratio = self._rates.ratios.get(self.stage.name, self._forecast.guessed_ratio())
        return self._forecast.read_tokens() * (1 + ratio) / self._forecast.items

    @cached_property
    def _forecast(self) -> Forecast:
        return Forecast(self._store, self.stage, self._engine, self._todo.pending)

    def tell(self) -> None:
        """Shows the progress; before the first answer, which may take minutes, how much there is to do."""
        self._told(None)

    def _told(self, cost: Completion | None) -> None:
        if cost is not None:
            self._count(cost)
        done = len(self._todo.items) - len(self._todo.pending) + self.tally.settled
        statements = self.tally.accepted + self.tally.rejected
        rejected_share = self.tally.rejected / statements if statements else None
        rate = self._rate.per_second if self._rate.samples >= LEAST_ANSWERS else None
        self._progress(
            EnrichProgress(self.stage.name, done, len(self._todo.items), rate, self._seconds_left(rate), rejected_share)
        )

    def _count(self, cost: Completion) -> None:
        now = self._clock.seconds()
        if self._rate.last_seconds is None:
            self._rate.note(0, now - cost.elapsed_seconds)
        self._tokens += cost.prompt_tokens - cost.reused_tokens + cost.generated_tokens
        self._rate.note(self._tokens, now)
        self._durations.append(cost.elapsed_seconds)

    def _seconds_left(self, rate: float | None) -> float | None:
        rate = rate or self._rates.tokens_per_second
        if not rate:
            return None
        tally = self.tally
        ratio = self._rates.ratios.get(self.stage.name, self._forecast.guessed_ratio())
        if tally.read_tokens:
            ratio = tally.written_tokens / tally.read_tokens
        seconds = self._forecast.read_tokens(tally.settled) * (1 + ratio) / rate
        return seconds if self.until is None else max(0.0, min(seconds, self.until - self._clock.seconds()))
