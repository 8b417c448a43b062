"""What an enrichment would take, told before it starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.small_documents import add, document
from pipeline.toy_stages import Pairs, Portraits, ToyEngine, Units, fill

from noderag_local.pipeline.backlog import backlog
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.forecast import MEASURED_CALLS, SAMPLED, Forecast, estimate
from noderag_local.storage.database.store import Store

PLAN = [Units(), Portraits(), Pairs()]


def test_what_was_never_measured_has_no_time(store: Store) -> None:
    engine = ToyEngine()
    told = estimate(store, PLAN, engine, Budget())
    assert [(stage.name, stage.items, stage.seconds) for stage in told.stages] == [
        ("units", 12, None),
        ("portraits", 0, None),
    ]
    assert told.stages[0].tokens > 12 * 8
    assert (told.seconds, told.tokens_per_second, engine.calls) == (None, None, [])


def test_measuring_is_the_first_of_the_work(store: Store) -> None:
    engine = ToyEngine(seconds=0.002)
    told = estimate(store, PLAN, engine, Budget(), measure=True)
    assert told.stages[0].items == 12 - MEASURED_CALLS
    assert told.tokens_per_second is not None
    assert told.seconds is not None
    assert told.stages[0].seconds == pytest.approx(told.stages[0].tokens / told.tokens_per_second, rel=0.02)
    enrich(store, PLAN, engine, Budget())
    assert len(engine.calls) == 12 + 7


def test_later_estimates_know_earlier_runs(store: Store) -> None:
    enrich(store, PLAN, ToyEngine(seconds=0.002), Budget(share=0.5))
    engine = ToyEngine()
    told = estimate(store, PLAN, engine, Budget(), measure=True)
    assert engine.calls == []
    assert told.seconds is not None
    assert told.stages[0].items == 6
    # Eight words are read and two written, for each.
    assert told.stages[0].tokens == 6 * 10
    assert estimate(store, PLAN, engine, Budget(share=0.75)).stages[0].items == 3
    assert estimate(store, PLAN, ToyEngine(identity="other"), Budget()).seconds is None


def test_long_and_short_requests_are_told_apart(tmp_path: Path) -> None:
    with Store.open(tmp_path / "v", write=True) as store:
        add(store, document("/notes/a.md", *([["word " * (1 if n < 300 else 30)] for n in range(600)])))
        engine, stage = ToyEngine(), Units()
        pending = backlog(store, stage, engine.identity).pending
        forecast = Forecast(store, stage, engine, pending)
        assert forecast.read_tokens() == pytest.approx(300 + 300 * 30, rel=2 / SAMPLED)
        assert forecast.read_tokens(300) == pytest.approx(300 * 30, rel=2 / SAMPLED)
        assert forecast.read_tokens(597) == 3 * 30
        assert forecast.read_tokens(600) == 0


def test_answers_that_are_kept_cost_nothing(store: Store) -> None:
    from noderag_local.pipeline.plan import drop_part

    enrich(store, [Units()], ToyEngine(), Budget())
    drop_part(store, Units())
    told = estimate(store, [Units()], ToyEngine(), Budget())
    assert (told.stages[0].items, told.stages[0].tokens) == (12, 0)


def test_nothing_to_do_costs_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path / "v", write=True) as store:
        fill(store, 0)
        told = estimate(store, PLAN, ToyEngine(), Budget(), measure=True)
        assert [stage.items for stage in told.stages] == [0, 0]
