"""The skeleton of KET-RAG alone."""

from __future__ import annotations

import time

from noderag_local.domain.passages import Retrieval
from noderag_local.papers.ketrag.chunk_graph import core_chunks
from noderag_local.papers.ketrag.skeleton_channel import local_evidence
from noderag_local.retrieval.closeness import sentence_cosines
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.results import packed_in_order


class KetSkeleton(OverGraph):
    """Retriever that uses the skeleton alone."""

    name = "ket-skeleton"

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        search_context = self._search_context
        vector = search_context.encode(question)
        core = search_context.layer(core_chunks)
        local = local_evidence(search_context, core, vector, sentence_cosines(search_context, vector), budget_tokens)
        pieces = in_shares([(0.5, local.told), (0.5, local.texts)], budget_tokens)
        return packed_in_order(self.name, question, budget_tokens, search_context, pieces, local.seeds, started)
