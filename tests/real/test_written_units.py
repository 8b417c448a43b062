"""Semantic units in a real model's words: only what the notes say, and the same every time."""

from __future__ import annotations

from pathlib import Path

from helpers.linked_notes import linked_notes

from noderag_local.domain.graph import NodeType
from noderag_local.extraction.statements.semantic_units import Decomposition
from noderag_local.models.llm.llamacpp.llama import LlamaEngine
from noderag_local.papers.noderag.written_units import WrittenUnitStage
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment import enrich
from noderag_local.pipeline.plan import drop_part
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.llm_cache import LlmCache

NOTE = "# Runa Brandt\n\nShe came to Turku in May 2019. There she rented the green boat of Bruno Saar.\n"


def test_a_real_model_writes_units_that_the_notes_bear_out(engine: LlamaEngine, tmp_path: Path) -> None:
    stages = [Decomposition(), WrittenUnitStage()]
    with linked_notes(tmp_path, {"runa.md": NOTE}) as store:
        reading, writing = enrich(store, stages, engine, Budget()).stages
        units = len(GraphRows(store).nodes_of(NodeType.SEMANTIC_UNIT)[0])
        assert reading.accepted > 0
        assert (writing.calls, writing.accepted + writing.rejected) == (units, units)
        written = GraphRows(store).nodes_of(NodeType.WRITTEN_UNIT)[2]
        assert len(written) == writing.accepted > 0
        assert any("Runa Brandt" in text for text in written), "a unit can be understood alone"
        made = digest(store)
        drop_part(store, WrittenUnitStage())
        LlmCache(store).sweep()
        assert enrich(store, stages, engine, Budget()).stages[1].calls == units
        assert digest(store) == made
