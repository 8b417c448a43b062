"""The nearest neighbour graph of chunks alone."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.top import top_rows
from noderag_local.papers.ketrag.chunk_graph import chunk_graph
from noderag_local.retrieval.closeness import chunk_cosines, inside_only
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.results import retrieval, whole_chunks

CHUNKS = 200
"""Seeds, before their neighbours: more than 12,000 tokens hold on MuSiQue."""


class KetKnn(OverGraph):
    """Retriever that adds the neighbours of each nearest chunk."""

    name = "ket-knn"
    draws_on: tuple[str, ...] = ()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        inside = None if self._search_context.inside is None else self._search_context.inside.chunks
        cosines = inside_only(chunk_cosines(self._search_context, self._search_context.encode(question)), inside)
        rows = self._with_neighbours(top_rows(cosines, CHUNKS), cosines)
        return retrieval(
            self.name,
            question,
            budget_tokens,
            self._search_context,
            whole_chunks(self._search_context, rows, cosines[rows], "chunk"),
            started,
        )

    def _with_neighbours(self, seeds: NDArray[np.int64], cosines: NDArray[np.float32]) -> NDArray[np.int64]:
        """Rows of each seed and, behind it, its neighbours of the scope, each row once."""
        near = self._search_context.layer(chunk_graph).near
        found: dict[int, None] = {}
        for seed in seeds:
            beside = np.sort(near.indices[near.indptr[seed] : near.indptr[seed + 1]])
            found[int(seed)] = None
            nearest = beside[np.argsort(-cosines[beside], kind="stable")]
            found.update(dict.fromkeys(int(row) for row in nearest if np.isfinite(cosines[row])))
        return np.fromiter(found, np.int64, len(found))
