"""Plain retrieval and the graph, half each.

Paper        Hybrid-RAG (Sarmah et al. 2024) as Huang, Zhang and Xiao 2025, section 6.1, have it: both Text-RAG and GraphRAG's
             local search over all chunks, equally.
Needs        text, graph, vectors. Relationships of the language model as far as it has read.
Deviations   As `ket` for entities and relationships that no language model has read. Both take turns in the context; room
             that one leaves is the other's.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                62.7  88.0    71.0  93.0
                 naive, to compare with  62.7  83.9    68.0  90.0
"""

from __future__ import annotations

import time

from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.top import top_rows
from noderag_local.papers.ketrag.chunk_graph import every_chunk
from noderag_local.papers.ketrag.skeleton_channel import local_evidence
from noderag_local.papers.lightrag.key_value_evidence import KeyValueEvidence
from noderag_local.retrieval.default.closeness import sentence_cosines
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.results import packed_in_order

SHARES = (0.5, 0.25, 0.25)
"""Of the budget for the nearest chunks, for entities and relationships, and for the chunks of these."""


class Hybrid(OverGraph):
    """See the head of this module."""

    name = "hybrid"

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        grounds = self._grounds
        vector = grounds.encode(question)
        evidence = KeyValueEvidence(grounds)
        cosines = evidence.cosines(vector)
        near = evidence.texts(top_rows(cosines, len(cosines)).tolist(), budget_tokens)
        sentences = sentence_cosines(grounds, vector)
        graph_tokens = sum(SHARES[1:]) * budget_tokens
        local = local_evidence(grounds, grounds.layer(every_chunk), vector, sentences, graph_tokens)
        pieces = in_shares(zip(SHARES, (near, local.told, local.texts), strict=True), budget_tokens)
        return packed_in_order(self.name, question, budget_tokens, grounds, pieces, local.seeds, started)
