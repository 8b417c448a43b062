"""Full-text search alone, to compare with."""

from __future__ import annotations

import time

import numpy as np

from noderag_local.domain.graph import Layer
from noderag_local.domain.passages import Retrieval
from noderag_local.retrieval.packing.results import retrieval, whole_chunks
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.documents.fulltext import search_chunks

CHUNKS = 200
"""More than 12,000 tokens hold on MuSiQue."""


class Bm25:
    """Retriever that ranks chunks by BM25."""

    name = "bm25"
    layers = (Layer.TEXT,)
    draws_on: tuple[str, ...] = ()

    def __init__(self, search_context: SearchContext) -> None:
        self._search_context = search_context

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        inside, chunks = self._search_context.inside, self._search_context.graph_arrays().chunks
        hits = search_chunks(self._search_context.store, question, CHUNKS if inside is None else len(chunks))
        rows = np.searchsorted(chunks, [chunk for chunk, _ in hits]).astype(np.int64)
        scores = np.array([score for _, score in hits], dtype=np.float32)
        if inside is not None:
            kept = np.flatnonzero(inside.chunks[rows])[:CHUNKS]
            rows, scores = rows[kept], scores[kept]
        ranked = whole_chunks(self._search_context, rows, scores, "bm25")
        return retrieval(self.name, question, budget_tokens, self._search_context, ranked, started)
