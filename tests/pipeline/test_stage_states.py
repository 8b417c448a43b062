"""How far the stages of an enrichment have come, and what the requests for it cost."""

from __future__ import annotations

from pathlib import Path

from helpers.small_documents import add, document
from pipeline.toy_stages import Pairs, Portraits, ToyEngine, Units, fill

from noderag_local.domain.model_use import ModelUse
from noderag_local.domain.stage_progress import StageProgress
from noderag_local.evaluation.metered_model import Meter, MeteredEngine
from noderag_local.models.language_model import OpenedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import Part
from noderag_local.pipeline.stage_states import stage_states
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.llm_cache import LlmCache


def states(store: Store, *plans: list[Part]) -> list[StageProgress]:
    before = digest(store)
    found = list(stage_states(store, plans))
    assert digest(store) == before, "nothing is changed"
    return found


class OpenedToy(ToyEngine):
    """A toy engine that can be closed."""

    def close(self) -> None:
        """Does nothing, as it holds nothing."""


def read(store: Store, share: float | None, engine: OpenedEngine | None = None) -> ModelUse:
    """Enriches and returns what the engine was sent, as counted outside of the store."""
    meter = Meter()
    enrich(store, [Units(), Portraits(), Pairs()], MeteredEngine(engine or OpenedToy(), meter), Budget(share=share))
    return meter.take()


def stored_use(store: Store) -> ModelUse:
    return sum(LlmCache(store).use_of_stages().values(), ModelUse())


def test_a_part_of_the_chunks_leaves_all_stages_unfinished(store: Store) -> None:
    plan: list[Part] = [Units(), Pairs("early"), Portraits()]
    assert [one.told for one in states(store, plan)] == ["units not begun", "portraits not begun"]
    read(store, 0.5)
    units, portraits = states(store, [Units(), Portraits()])
    assert (units.done, units.items, units.is_finished) == (6, 12, False)
    assert (portraits.done == portraits.items > 0, portraits.waits, portraits.is_finished) == (True, True, False)
    assert (units.told, portraits.told[-7:]) == ("units 6 of 12", " so far")
    read(store, None)
    assert all(one.is_finished for one in states(store, [Units(), Portraits()]))
    assert [one.is_finished for one in states(store, plan)] == [True, False], "a step between them has never run"


def test_a_stage_of_two_plans_is_told_once(store: Store) -> None:
    read(store, None)
    found = states(store, [Units(), Portraits()], [Units(), Pairs()])
    assert [one.name for one in found] == ["units", "portraits"]


def test_another_prompt_new_notes_and_stale_items_are_work_that_is_left(store: Store) -> None:
    read(store, None)
    assert [one.done for one in states(store, [Units("2"), Portraits()])] == [0, 7]
    stale = Units()
    stale.stale = set(stale.items(store)[:3])
    assert states(store, [stale])[0].told == "units 9 of 12"
    add(store, document("/notes/b.md", ["Ada met Bob again."]))
    assert states(store, [Units()])[0].told == "units 12 of 13"


def test_what_was_sent_is_counted_for_each_degree_of_reading(store: Store, tmp_path: Path) -> None:
    part = read(store, 0.3)
    assert 0 < part.calls == stored_use(store).calls
    with Store.open(tmp_path / "whole", write=True) as other:
        fill(other, 12)
        whole = read(other, None)
        found = stored_use(other)
        assert (found.calls, found.prompt_tokens, found.written_tokens) == (
            whole.calls,
            whole.prompt_tokens,
            whole.written_tokens,
        )
    assert whole.calls > part.calls
    assert whole.prompt_tokens > part.prompt_tokens == stored_use(store).prompt_tokens


def test_a_second_try_is_a_request_too(store: Store) -> None:
    refused: set[str] = set()

    def at_the_second(request: object) -> str:
        text = request.messages[-1].content  # type: ignore[attr-defined]
        first = text[:20] not in refused
        refused.add(text[:20])
        return "nothing" if first else "Ada Bob"

    sent = read(store, None, OpenedToy(at_the_second))
    assert sent.calls == stored_use(store).calls > 12
    assert sent.prompt_tokens == stored_use(store).prompt_tokens
