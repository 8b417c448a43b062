"""Gleaning with a real model: no fact is kept twice, and the same settings give the same graph."""

from __future__ import annotations

from pathlib import Path

from helpers.linked_notes import linked_notes

from noderag_local.extraction.statements.semantic_units import Decomposition
from noderag_local.models.llm.llamacpp.llama import LlamaEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import drop_part
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.graph.llm_cache import LlmCache

NOTE = (
    "# Harbour diary\n\nIlse Brandt came to Turku in May with her sister Runa. They rented the green boat of Bruno Saar, who "
    "works for Kiln. Runa paid 250 euros to Bruno. In June Ilse left for Porto and gave the keys to Marta Voss.\n"
)


def test_a_real_model_loses_no_fact_and_none_is_kept_twice(engine: LlamaEngine, tmp_path: Path) -> None:
    with linked_notes(tmp_path, {"diary.md": NOTE}) as store:
        plain = enrich(store, [Decomposition()], engine, Budget()).stages[0]
        gleaned = enrich(store, [Decomposition(1)], engine, Budget()).stages[0]
        assert (plain.calls, gleaned.calls, gleaned.cached) == (1, 1, 1)
        assert gleaned.accepted >= plain.accepted > 0
        assert gleaned.read_tokens > 0
        facts = [text for (text,) in store.rows("SELECT text FROM fragments WHERE text != ''")]
        assert len(facts) == len(set(facts)) == gleaned.accepted
        made = digest(store)
        drop_part(store, Decomposition())
        LlmCache(store).sweep()
        assert enrich(store, [Decomposition(1)], engine, Budget()).stages[0].calls == 2
        assert digest(store) == made
