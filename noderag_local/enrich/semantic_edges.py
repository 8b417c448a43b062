"""Semantic edges: every sentence and its nearest ones (NodeRAG, section 2.3, "HNSW semantic edges").

usearch does not give away its graph, so the edges are a kNN graph made by searching the index with its own vectors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from noderag_local.records import EdgeType, NodeType
from noderag_local.store.database import Store
from noderag_local.store.graph import GraphRows
from noderag_local.store.vector_index import VectorIndex

NEIGHBOURS = 10
"""Measured on 249 MuSiQue questions: 10 is two points better than 5 at 2,000 tokens, 15 gains nothing more."""


def build_semantic_edges(store: Store, advanced: Callable[[int, int], None]) -> None:
    """Replaces all semantic edges; the weight of an edge is the cosine.

    Args:
        advanced: told how many sentences are done, and of how many.
    """
    index = VectorIndex.open(store, NodeType.SENTENCE)
    ends, weights, done = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.float32)], 0
    advanced(done, len(index.ids))
    for block in index.all_neighbours(NEIGHBOURS):
        sources = np.repeat(block.ids, block.neighbours.shape[1])
        targets, cosines = block.neighbours.ravel(), block.cosines.ravel()
        kept = (targets >= 0) & (cosines > 0)
        ends.append(np.sort(np.stack([sources[kept], targets[kept]], axis=1), axis=1))
        weights.append(cosines[kept])
        done += len(block.ids)
        advanced(done, len(index.ids))
    pairs, first = np.unique(np.concatenate(ends), axis=0, return_index=True)
    GraphRows(store).replace_edges(EdgeType.SEMANTIC, pairs[:, 0], pairs[:, 1], np.concatenate(weights)[first])
