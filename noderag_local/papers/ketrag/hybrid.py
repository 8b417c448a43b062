"""Plain retrieval and local search in the graph, half each."""

from __future__ import annotations

import time

from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.top import top_rows
from noderag_local.papers.ketrag.chunk_graph import every_chunk
from noderag_local.papers.ketrag.skeleton_channel import local_evidence
from noderag_local.papers.lightrag.key_value_evidence import KeyValueEvidence
from noderag_local.retrieval.closeness import sentence_cosines
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.results import packed_in_order

SHARES = (0.5, 0.25, 0.25)
"""Of the budget for the nearest chunks, for entities and relationships, and for the chunks of these."""


class Hybrid(OverGraph):
    """Retriever that gives half of the budget to plain retrieval, half to local search."""

    name = "hybrid"

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        search_context = self._search_context
        vector = search_context.encode(question)
        evidence = KeyValueEvidence(search_context)
        cosines = evidence.cosines(vector)
        near = evidence.texts(top_rows(cosines, len(cosines)).tolist(), budget_tokens)
        sentences = sentence_cosines(search_context, vector)
        graph_tokens = sum(SHARES[1:]) * budget_tokens
        local = local_evidence(search_context, search_context.layer(every_chunk), vector, sentences, graph_tokens)
        pieces = in_shares(zip(SHARES, (near, local.told, local.texts), strict=True), budget_tokens)
        return packed_in_order(self.name, question, budget_tokens, search_context, pieces, local.seeds, started)
