"""The nearest neighbour graph of chunks alone.

Paper        KNNG-RAG as Huang, Zhang and Xiao 2025, section 6.1, have it: the chunks nearest to the question, each with its
             neighbours in the graph of KET-RAG's first step. It loses against plain retrieval in their tables, too.
Needs        text, graph (keywords), vectors. No language model.
Deviations   Neighbours that the question is far from come in all the same; among those of one chunk, the nearer ones first.
Measured     Coverage in percent at 2,000 / 12,000 tokens, 249 dev questions of MuSiQue; 100 of its training set:
                 as it is                56.2  81.1    67.0  89.0
                 naive, to compare with  62.7  83.9    68.0  90.0
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.top import top_rows
from noderag_local.papers.ketrag.chunk_graph import chunk_graph
from noderag_local.retrieval.default.closeness import chunk_cosines, inside_only
from noderag_local.retrieval.over_graph import OverGraph
from noderag_local.retrieval.packing.results import retrieval, whole_chunks

CHUNKS = 200
"""Seeds, before their neighbours: more than 12,000 tokens hold on MuSiQue."""


class KetKnn(OverGraph):
    """See the head of this module."""

    name = "ket-knn"
    draws_on: tuple[str, ...] = ()

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """As `Retriever.retrieve` says."""
        started = time.perf_counter()
        inside = None if self._grounds.inside is None else self._grounds.inside.chunks
        cosines = inside_only(chunk_cosines(self._grounds, self._grounds.encode(question)), inside)
        rows = self._with_neighbours(top_rows(cosines, CHUNKS), cosines)
        return retrieval(
            self.name,
            question,
            budget_tokens,
            self._grounds,
            whole_chunks(self._grounds, rows, cosines[rows], "chunk"),
            started,
        )

    def _with_neighbours(self, seeds: NDArray[np.int64], cosines: NDArray[np.float32]) -> NDArray[np.int64]:
        """Rows of each seed and, behind it, its neighbours of the scope, each row once."""
        near = self._grounds.layer(chunk_graph).near
        found: dict[int, None] = {}
        for seed in seeds:
            beside = np.sort(near.indices[near.indptr[seed] : near.indptr[seed + 1]])
            found[int(seed)] = None
            nearest = beside[np.argsort(-cosines[beside], kind="stable")]
            found.update(dict.fromkeys(int(row) for row in nearest if np.isfinite(cosines[row])))
        return np.fromiter(found, np.int64, len(found))
