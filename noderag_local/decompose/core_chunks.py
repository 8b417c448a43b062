"""Which chunks the model reads first (KET-RAG, section 4.1, "core chunks").

Chunks are joined to those that share the most words with them and to those nearest by vector; PageRank on that graph
tells the central ones. With little time, the relationships of those are worth more than of any others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.nearest import most_shared_words
from noderag_local.graph.pagerank import pagerank
from noderag_local.graph.sparse import Edges, incidence, symmetric, transition
from noderag_local.records import EdgeType, NodeType
from noderag_local.store.database import Store
from noderag_local.store.snapshot import Snapshot
from noderag_local.store.vector_index import VectorIndex

LEXICAL_NEIGHBOURS = 1
SEMANTIC_NEIGHBOURS = 1
"""K = 2 of the paper, half of them of either kind."""
COMMON_SHARE = 0.1
"""Words in more than this share of the chunks join anything to anything and are left out."""


def central_first(store: Store) -> list[int]:
    """Ids of all chunks, the most central first; ties by id."""
    snapshot = Snapshot.open(store)
    chunks = snapshot.chunks.ids
    edges = [_by_words(snapshot), _by_vectors(store, chunks)]
    ranks = pagerank(transition(symmetric([_unweighted(one) for one in edges], len(chunks))))
    # Chunks with the same neighbours differ in the last digits by the order of the sums alone.
    order = np.lexsort((chunks, -np.round(ranks * len(chunks), 9)))
    return [int(number) for number in chunks[order]]


def _by_words(snapshot: Snapshot) -> Edges:
    chunks, table = snapshot.chunks.ids, snapshot.sentences
    sentences, words, _ = snapshot.edges[EdgeType.KEYWORD]
    _, columns = np.unique(words, return_inverse=True)
    rows = np.searchsorted(chunks, table.chunk_ids[np.searchsorted(table.ids, sentences)])
    shape = (len(chunks), int(columns.max()) + 1 if len(columns) else 0)
    counts = incidence(rows, columns, np.ones(len(rows)), shape)
    frequency = np.asarray((counts != 0).sum(axis=0)).ravel()
    return most_shared_words(counts[:, frequency <= max(2, COMMON_SHARE * len(chunks))], LEXICAL_NEIGHBOURS)


def _by_vectors(store: Store, chunks: NDArray[np.int64]) -> Edges:
    sources, targets, cosines = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
    for block in VectorIndex.open(store, NodeType.TEXT).all_neighbours(SEMANTIC_NEIGHBOURS):
        kept = (block.neighbours >= 0) & (block.cosines > 0)
        sources.append(np.repeat(block.ids, kept.sum(axis=1)))
        targets.append(block.neighbours[kept])
        cosines.append(block.cosines[kept])
    ends = [np.searchsorted(chunks, np.concatenate(side)) for side in (sources, targets)]
    return ends[0], ends[1], np.concatenate(cosines)


def _unweighted(edges: Edges) -> Edges:
    """Which chunks are neighbours; how near they are is not in the paper's graph."""
    sources, targets, weights = edges
    return sources, targets, np.ones_like(weights)
