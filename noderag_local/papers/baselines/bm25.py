"""Full text alone, to compare with.

Paper        BM25 (Robertson and Zaragoza 2009), as SQLite's FTS5 has it, over chunks with their titles and headings.
Needs        text.
Deviations   The last chunk is cut at a sentence where the budget ends.
"""

from __future__ import annotations

import time

import numpy as np

from noderag_local.domain.graph import Layer
from noderag_local.domain.passages import Retrieval
from noderag_local.retrieval.packing.results import retrieval, whole_chunks
from noderag_local.retrieval.retriever import Grounds
from noderag_local.storage.documents.fulltext import search_chunks

CHUNKS = 200
"""More than 12,000 tokens hold on MuSiQue."""


class Bm25:
    """See the head of this module."""

    name = "bm25"
    layers = (Layer.TEXT,)
    draws_on: tuple[str, ...] = ()

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        inside, chunks = self._grounds.inside, self._grounds.landscape().chunks
        hits = search_chunks(self._grounds.store, question, CHUNKS if inside is None else len(chunks))
        rows = np.searchsorted(chunks, [chunk for chunk, _ in hits]).astype(np.int64)
        scores = np.array([score for _, score in hits], dtype=np.float32)
        if inside is not None:
            kept = np.flatnonzero(inside.chunks[rows])[:CHUNKS]
            rows, scores = rows[kept], scores[kept]
        ranked = whole_chunks(self._grounds, rows, scores, "bm25")
        return retrieval(self.name, question, budget_tokens, self._grounds, ranked, started)
