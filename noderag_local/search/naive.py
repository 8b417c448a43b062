"""Plain retrieval, to compare with.

Paper        The naive RAG that every paper of the field compares itself with: chunks by cosine until the budget is full.
Needs        text, vectors.
Deviations   The last chunk is cut at a sentence where the budget ends.
"""

from __future__ import annotations

import time

import numpy as np

from noderag_local.records import Layer, NodeType, Retrieval
from noderag_local.search.found import retrieval, whole_chunks
from noderag_local.search.retriever import Grounds

CHUNKS = 200
"""More than 12,000 tokens hold on MuSiQue."""


class Naive:
    """See the head of this module."""

    name = "naive"
    layers = (Layer.TEXT, Layer.VECTORS)

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        vector = self._grounds.encode(question)
        ids, cosines = self._grounds.vector_index(NodeType.TEXT).search(vector[None], CHUNKS)
        found = ids[0] >= 0
        rows = np.searchsorted(self._grounds.landscape().chunks, ids[0][found])
        ranked = whole_chunks(self._grounds, rows, cosines[0][found], "chunk")
        return retrieval(self.name, question, budget_tokens, self._grounds, ranked, started)
