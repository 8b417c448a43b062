"""Connects similar texts, units, attributes and high-level elements (NodeRAG, section 2.4, "HNSW semantic edges").

The paper uses the base layer of its HNSW graph. usearch does not expose its graph, so the index is searched with each of
its own vectors, and the neighbours are pruned by HNSW's rule (Malkov and Yashunin 2018, Algorithm 4): a neighbour is left
out if it is closer to a nearer neighbour that is kept than to the node itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.algorithms.rows import first_of_each
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vector_index import VectorIndex
from noderag_local.storage.vectors.vectors import KeyedVectors, read_keyed_vectors

NEIGHBOURS = 16
"""Neighbours considered for each node (k). The authors' code has M = 50, but half of those would be the node's own text and units."""
SPARE = 8
"""Extra neighbours to search for, since the node's own text and units are then left out."""

SIMILAR_OF = "similar edges of"
"""Name of the stored fact that says which vectors the edges were made from."""

_TYPES = (NodeType.TEXT, NodeType.SEMANTIC_UNIT, NodeType.ATTRIBUTE, NodeType.HIGH_LEVEL_ELEMENT)


class SimilarEdgesStep:
    """A `Step` that replaces all similar edges when a vector has changed. The weight of an edge is the cosine."""

    name = "similar"

    def needed(self, store: Store) -> bool:
        """Returns whether the edges were made from other vectors; False if the model has not made any nodes yet."""
        vectors = read_keyed_vectors(store, _TYPES)
        return store.facts.get(SIMILAR_OF, "") != (_state(store, vectors) if _has_derived(vectors) else "")

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Finds, prunes and stores the edges, in one transaction."""
        vectors = read_keyed_vectors(store, _TYPES)
        if not _has_derived(vectors):
            self.drop(store)
            return
        found = similar_pairs(vectors, _inserted(store), lambda done: advanced(done, len(vectors.ids)), cancelled)
        if found is None:
            return
        ends, cosines = found
        with store.transaction():
            GraphRows(store).replace_edges(EdgeType.SIMILAR, ends[:, 0], ends[:, 1], cosines)
            store.facts[SIMILAR_OF] = _state(store, vectors)

    def drop(self, store: Store) -> None:
        """Removes all similar edges."""
        with store.transaction():
            GraphRows(store).replace_edges(EdgeType.SIMILAR, [], [], [])
            store.facts.pop(SIMILAR_OF, None)


def similar_pairs(
    vectors: KeyedVectors,
    inserted: set[tuple[int, int]],
    advanced: Callable[[int], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
    """Returns the similar edges, each once.

    Args:
        vectors: vectors of all nodes that may be connected.
        inserted: (text, unit made from it) pairs, which are left out: they are trivially similar and already connected.
        advanced: called with the number of nodes done.
        cancelled: called before each block; the search stops when it returns True.

    Returns:
        Ends (m, 2), sorted, the lower id first, and cosines (m,); None if it was cancelled.
    """
    index = VectorIndex(vectors.ids, vectors.vectors)
    row_of = {int(number): row for row, number in enumerate(vectors.ids)}
    wide = vectors.vectors.astype(np.float32)
    own = {(row_of[a], row_of[b]) for a, b in inserted if a in row_of and b in row_of}
    own |= {(b, a) for a, b in own}
    ends, weights, done = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.float32)], 0
    for block in index.all_neighbours(NEIGHBOURS + SPARE):
        if cancelled():
            return None
        rows = np.array([[row_of.get(int(node), -1) for node in line] for line in block.neighbours])
        sources = np.array([row_of[int(node)] for node in block.ids])
        rows, cosines = _without_own(sources, rows, block.cosines, own)
        kept = diverse(wide, rows, cosines)
        lines, columns = np.nonzero(kept)
        pair = np.stack([vectors.ids[sources[lines]], vectors.ids[rows[lines, columns]]], axis=1)
        ends.append(np.sort(pair, axis=1))
        weights.append(cosines[lines, columns])
        done += len(block.ids)
        advanced(done)
    pairs = np.concatenate(ends)
    first = first_of_each(pairs)
    return pairs[first], np.concatenate(weights)[first]


def diverse(
    vectors: NDArray[np.float32], neighbours: NDArray[np.int64], cosines: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Returns which neighbours HNSW's pruning rule keeps, (b, k).

    Args:
        vectors: (n, dim), unit rows.
        neighbours: (b, k) rows of `vectors`, nearest first; -1 where a node has fewer.
        cosines: (b, k) cosine of each neighbour with its node; neighbours at 0 or below are not kept.
    """
    near = vectors[np.maximum(neighbours, 0)]
    between = near @ near.transpose(0, 2, 1)
    kept = np.zeros(neighbours.shape, dtype=bool)
    for column in range(neighbours.shape[1]):
        nearest_kept = np.where(kept, between[:, :, column], -np.inf).max(axis=1)
        allowed = (neighbours[:, column] >= 0) & (cosines[:, column] > 0)
        kept[:, column] = allowed & (cosines[:, column] > nearest_kept)
    return kept


def _without_own(
    sources: NDArray[np.int64], rows: NDArray[np.int64], cosines: NDArray[np.float32], own: set[tuple[int, int]]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Returns the NEIGHBOURS nearest nodes of each node, nearest first, without a text's own units and a unit's own text."""
    is_own = np.array(
        [[(int(source), int(row)) in own for row in line] for source, line in zip(sources, rows, strict=True)]
    )
    order = np.argsort(is_own | (rows < 0), axis=1, kind="stable")[:, :NEIGHBOURS]
    rows = np.where(is_own, -1, rows)
    return np.take_along_axis(rows, order, 1), np.take_along_axis(cosines, order, 1)


def _has_derived(vectors: KeyedVectors) -> bool:
    return any(kind is not NodeType.TEXT for kind in vectors.types)


def _inserted(store: Store) -> set[tuple[int, int]]:
    texts, units, _ = GraphRows(store).edges(EdgeType.INSERTED)
    return set(zip(texts.tolist(), units.tolist(), strict=True))


def _state(store: Store, vectors: KeyedVectors) -> str:
    inserted = hashlib.sha256(repr(sorted(_inserted(store))).encode()).hexdigest()
    return f"{vectors.digest} {inserted} {NEIGHBOURS}"
