"""Which chunks the model reads first: the central ones of the graph of chunks (KET-RAG, section 4.1, "core chunks").

With little time, the relationships of those are worth more than of any others.
"""

from __future__ import annotations

import numpy as np

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.algorithms.chunk_neighbours import build_chunk_graph
from noderag_local.graph.algorithms.sparse import between, incidence
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.vectors.vector_index import VectorIndex


def central_first(store: Store) -> list[int]:
    """Ids of all chunks, the most central first; ties by id."""
    snapshot = Snapshot.open(store)
    chunks, sentences = snapshot.chunks.ids, snapshot.sentences
    said = snapshot.edges[EdgeType.KEYWORD]
    keywords = np.unique(said[1])
    keyword_edges = incidence(*between(said, sentences.ids, keywords), (len(sentences.ids), len(keywords)))
    vectors = VectorIndex.open(store, NodeType.TEXT).aligned(chunks).astype(np.float32)
    graph = build_chunk_graph(np.searchsorted(chunks, sentences.chunk_ids), keyword_edges, vectors)
    return [int(number) for number in chunks[graph.central]]
