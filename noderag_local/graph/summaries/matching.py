"""Connects high-level elements with the units and attributes that they are about (NodeRAG, Algorithm 2)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.algorithms.clusters import kmeans
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.vectors.vectors import KeyedVectors, read_keyed_vectors

LEAST_FILLING = 39
"""Minimum average size of a cluster. Below it no clusters are made, and an element is connected with its whole community, as
in the paper's released code."""

MATCHED_OF = "matching of"
"""Name of the stored fact that says which vectors and communities the edges were made from."""

_MATCHED = (NodeType.SEMANTIC_UNIT, NodeType.ATTRIBUTE)
_TYPES = (*_MATCHED, NodeType.HIGH_LEVEL_ELEMENT)


class MatchingStep:
    """A `Step` that replaces all edges between elements and their notes when vectors or communities have changed."""

    name = "matching"

    def needed(self, store: Store) -> bool:
        """Returns whether vectors or communities have changed since the edges were made."""
        return store.facts.get(MATCHED_OF) != _state(store, read_keyed_vectors(store, _TYPES))

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Finds and stores the edges, in one transaction."""
        vectors = read_keyed_vectors(store, _TYPES)
        clusters = clusters_of(vectors.vectors.astype(np.float32))
        if cancelled():
            return
        pairs = matched_pairs(vectors, clusters, _communities(store))
        ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        with store.transaction():
            GraphRows(store).replace_edges(EdgeType.MATCHED, ends[:, 0], ends[:, 1], np.ones(len(ends)))
            store.facts[MATCHED_OF] = _state(store, vectors)
        advanced(len(pairs), len(pairs))

    def drop(self, store: Store) -> None:
        """Removes all edges between elements and their notes."""
        with store.transaction():
            GraphRows(store).replace_edges(EdgeType.MATCHED, [], [], [])
            store.facts.pop(MATCHED_OF, None)


def clusters_of(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns the cluster of each vector, (n,): ⌈√n⌉ clusters, or a single one if they would be too small.

    Args:
        vectors: (n, dim), ordered by the nodes' keys.
    """
    clusters = math.ceil(math.sqrt(len(vectors)))
    if len(vectors) <= LEAST_FILLING * max(clusters, 1):
        return np.zeros(len(vectors), dtype=np.int64)
    return kmeans(vectors, clusters)


def matched_pairs(
    vectors: KeyedVectors, clusters: NDArray[np.int64], communities: Mapping[int, Sequence[int]]
) -> list[tuple[int, int]]:
    """Returns the sorted pairs (element, unit or attribute) that share a community and a cluster.

    Args:
        vectors: vectors of the nodes to match.
        clusters: (n,) cluster of each row of `vectors`.
        communities: communities of each node, by node id.
    """
    elements: dict[tuple[int, int], list[int]] = {}
    for row, community in _placed(vectors, vectors.rows_of(NodeType.HIGH_LEVEL_ELEMENT), communities):
        elements.setdefault((community, int(clusters[row])), []).append(int(vectors.ids[row]))
    pairs = {
        (element, int(vectors.ids[row]))
        for kind in _MATCHED
        for row, community in _placed(vectors, vectors.rows_of(kind), communities)
        for element in elements.get((community, int(clusters[row])), ())
    }
    return sorted(pairs)


def _placed(
    vectors: KeyedVectors, rows: NDArray[np.int64], communities: Mapping[int, Sequence[int]]
) -> Iterator[tuple[int, int]]:
    for row in rows.tolist():
        for community in communities.get(int(vectors.ids[row]), ()):
            yield row, community


def _communities(store: Store) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for kind in (EdgeType.MEMBER, EdgeType.ELEMENT):
        sources, targets, _ = GraphRows(store).edges(kind)
        for community, node in zip(sources.tolist(), targets.tolist(), strict=True):
            found.setdefault(node, []).append(community)
    return found


def _state(store: Store, vectors: KeyedVectors) -> str:
    placed = hashlib.sha256(repr(sorted(_communities(store).items())).encode()).hexdigest()
    return f"{vectors.digest} {placed}"
