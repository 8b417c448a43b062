"""Gleaning with a real model: what it adds is new, and its names stand in the text."""

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


def test_a_real_model_adds_facts_and_repeats_none(engine: LlamaEngine, tmp_path: Path) -> None:
    with linked_notes(tmp_path, {"diary.md": NOTE}) as store:
        plain = enrich(store, [Decomposition()], engine, Budget()).stages[0]
        gleaned = enrich(store, [Decomposition(1)], engine, Budget()).stages[0]
        assert (plain.calls, gleaned.calls, gleaned.cached) == (1, 1, 1)
        assert gleaned.accepted >= plain.accepted > 0
        assert gleaned.read_tokens > 0
        assert gleaned.rejected <= plain.rejected + 1, "a fact that is written the other way round is refused"
        made = digest(store)
        drop_part(store, Decomposition())
        LlmCache(store).sweep()
        assert enrich(store, [Decomposition(1)], engine, Budget()).stages[0].calls == 2
        assert digest(store) == made
