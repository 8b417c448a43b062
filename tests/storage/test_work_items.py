from __future__ import annotations

from noderag_local.domain.graph import NodeType
from noderag_local.domain.model_use import ModelUse
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.llm_cache import CachedText, LlmCache
from noderag_local.storage.graph.work_items import ItemCounts, WorkItem, WorkItemRows


def test_an_item_stands_where_it_was_last_put(store: Store) -> None:
    first, second = GraphRows(store).put_nodes(NodeType.ENTITY, [("a", "A"), ("b", "B")]).tolist()
    rows = WorkItemRows(store)
    failed = WorkItem("model", "1", "00", "failed", "gibberish", 0, 4)
    done = WorkItem("model", "2", "01", "done", "", 6, 2)
    rows.put("stage", first, failed)
    rows.put("stage", second, failed)
    rows.put("stage", first, done)
    rows.put("other", first, failed)
    assert rows.state("stage") == {first: done, second: failed}
    assert rows.counts("stage") == ItemCounts(done=1, failed=1, accepted=6, rejected=6)
    assert rows.counts("stage").rejected_share == 0.5
    assert rows.counts("none") == ItemCounts(0, 0, 0, 0)
    assert rows.counts("none").rejected_share is None
    assert rows.stages() == ["other", "stage"]
    rows.remove("stage", [second])
    assert rows.state("stage") == {first: done}
    rows.forget("stage")
    assert (rows.state("stage"), len(rows.state("other"))) == ({}, 1)


def test_the_cache_knows_model_prompt_and_input(store: Store) -> None:
    cache = LlmCache(store)
    cache.put("m", "p", "00", CachedText("half \ud83d", 7, 3))
    assert cache.get("m", "p", "00") == CachedText("half \ufffd", 7, 3)
    assert [cache.get(*key) for key in (("n", "p", "00"), ("m", "q", "00"), ("m", "p", "01"))] == [None] * 3
    cache.put("m", "p", "00", CachedText("", 1, 0))
    assert cache.get("m", "p", "00") == CachedText("", 1, 0)


def test_the_use_of_a_stage_is_of_the_answers_that_its_items_stand_on(store: Store) -> None:
    first, second = GraphRows(store).put_nodes(NodeType.ENTITY, [("a", "A"), ("b", "B")]).tolist()
    cache, rows = LlmCache(store), WorkItemRows(store)
    for prompt, key in (("stage 1", "00"), ("stage 1", "01"), ("stage 1", "02"), ("other 1", "00")):
        cache.put("m", prompt, key, CachedText("text", 20, 3))
    rows.put("stage", first, WorkItem("m", "1", "00 01", "done", "", 1, 0))
    rows.put("stage", second, WorkItem("m", "1", "01", "done", "", 1, 0))
    assert cache.use_of_stages() == {"stage": ModelUse(2, 40, 0, 6)}
