"""The heterograph of the NodeRAG paper (T, S, N, R, A, H, O) as arrays.

It holds what the language model has made so far. Where it has not read a chunk, sentences stand for semantic units.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, GraphPart, NodeType
from noderag_local.graph.algorithms.sparse import Edges, between, incidence, symmetric, transition
from noderag_local.retrieval.evidence import chosen_edges, is_read
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.snapshots.snapshot import Snapshot

_EDGES = (
    EdgeType.INSERTED,
    EdgeType.NAMES,
    EdgeType.RELATES,
    EdgeType.DESCRIBES,
    EdgeType.MATCHED,
    EdgeType.TITLE,
    EdgeType.MENTION,
    EdgeType.ALIAS,
    EdgeType.SIMILAR,
    EdgeType.SEMANTIC,
)
"""Edges of weight 1 each (NodeRAG, section 2.4). Where a similar edge joins two nodes that another one joins, the weight is 2."""


@dataclass(frozen=True)
class FullGraph:
    """Nodes and transitions of the whole graph; rows are nodes in id order."""

    ids: NDArray[np.int64]
    """(m,) ascending"""
    types: NDArray[np.str_]
    """(m,) letters of `NodeType`"""
    walk: sp.csr_matrix
    """(m, m) Pᵀ"""

    def rows(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the rows of the ids that are in the graph, in the order of the ids."""
        found = np.minimum(np.searchsorted(self.ids, ids), max(len(self.ids) - 1, 0))
        return np.asarray(found[self.ids[found] == ids] if len(self.ids) else np.zeros(0, np.int64), dtype=np.int64)


NEARNESS = (EdgeType.SIMILAR, EdgeType.SEMANTIC)
"""Edges between nodes that are near each other by their vectors."""


def read_full_graph(
    store: Store,
    entities: NDArray[np.int64],
    evidence: GraphPart = GraphPart.ALL,
    without: Collection[EdgeType] = frozenset(),
) -> FullGraph:
    """Reads all nodes that can lead from a question to a context.

    Args:
        store: the open vault.
        entities: (e,) node ids of the entities.
        evidence: part of the graph that is read.
        without: types of edges to leave out.
    """
    snapshot = Snapshot.open(store)
    table = snapshot.sentences
    edges = chosen_edges(MergedNames(store).edges(snapshot.edges), table, evidence)
    standing_in = ~is_read(edges, table)
    nodes = {
        NodeType.TEXT: snapshot.chunks.ids,
        NodeType.SENTENCE: table.ids[standing_in],
        NodeType.SEMANTIC_UNIT: edges[EdgeType.INSERTED][1],
        NodeType.ENTITY: entities,
        NodeType.RELATIONSHIP: edges[EdgeType.RELATES][0],
        NodeType.ATTRIBUTE: edges[EdgeType.DESCRIBES][0],
        NodeType.HIGH_LEVEL_ELEMENT: edges[EdgeType.ELEMENT][1],
        NodeType.OVERVIEW: edges[EdgeType.TITLE][0],
    }
    listed = np.concatenate(list(nodes.values()))
    letters = np.concatenate([np.full(len(found), str(kind)) for kind, found in nodes.items()])
    ids, first = np.unique(listed, return_index=True)
    contained = (table.chunk_ids[standing_in], table.ids[standing_in], np.ones(int(standing_in.sum()), np.float32))
    told = _units_of_relationships(edges[EdgeType.STATED], edges[EdgeType.PART])
    joined = [contained, told, *(_ones(edges[kind]) for kind in _EDGES if kind not in without)]
    inside = [between(found, ids, ids) for found in joined]
    return FullGraph(ids, letters[first], transition(symmetric(inside, len(ids))))


def _ones(edges: Edges) -> Edges:
    return edges[0], edges[1], np.ones_like(edges[2])


def _units_of_relationships(stated: Edges, parts: Edges) -> Edges:
    """Returns edges of weight 1 between each relationship and the semantic units that tell it (NodeRAG, section 2.2).

    A unit tells a relationship if one of its sentences states it.

    Args:
        stated: edges from relationships to sentences.
        parts: edges from semantic units to sentences.
    """
    relationships, units, sentences = (distinct(ids) for ids in (stated[0], parts[0], distinct(stated[1], parts[1])))
    by_relationship, by_unit = (
        incidence(*between(edges, rows, sentences), (len(rows), len(sentences)))
        for edges, rows in ((stated, relationships), (parts, units))
    )
    of_relationship, of_unit = (by_relationship @ by_unit.T).nonzero()
    return relationships[of_relationship], units[of_unit], np.ones(len(of_unit), np.float32)
