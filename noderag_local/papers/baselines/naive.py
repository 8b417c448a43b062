"""Search by vectors alone, to compare with."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import Layer, NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.retrieval.nearest_inside import nearest_inside
from noderag_local.retrieval.packing.results import retrieval, whole_chunks
from noderag_local.retrieval.retriever import SearchContext

CHUNKS = 200
"""More than 12,000 tokens hold on MuSiQue."""


class Naive:
    """Retriever that ranks chunks by cosine."""

    name = "naive"
    layers = (Layer.TEXT, Layer.VECTORS)
    draws_on: tuple[str, ...] = ()

    def __init__(self, search_context: SearchContext) -> None:
        self._search_context = search_context

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        vector = self._search_context.encode(question)
        rows, cosines = nearest_chunks(self._search_context, vector)
        ranked = whole_chunks(self._search_context, rows, cosines, "chunk")
        return retrieval(self.name, question, budget_tokens, self._search_context, ranked, started)


def nearest_chunks(
    search_context: SearchContext, vector: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Rows of chunks, nearest first, and their cosines.

    Args:
        vector: (dim,) of unit length.
    """
    chunks, inside = search_context.graph_arrays().chunks, search_context.inside
    index = search_context.vector_index(NodeType.TEXT)
    if inside is not None:
        ids, cosines = nearest_inside(index, chunks[inside.chunks], vector, CHUNKS)
        return np.searchsorted(chunks, ids), cosines
    found, scores = index.search(vector[None], CHUNKS)
    there = found[0] >= 0
    return np.searchsorted(chunks, found[0][there]), scores[0][there]
