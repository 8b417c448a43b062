"""The heterograph of semantic units, entities, relationships and attributes (G¹ and G² of the paper) as arrays."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.algorithms.sparse import Edges, symmetric
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.fragments import FragmentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.merged_names import MergedNames
from noderag_local.storage.graph.whole_graph import named_nodes
from noderag_local.text.statement import spoken

_TYPES = (NodeType.SEMANTIC_UNIT, NodeType.ENTITY, NodeType.RELATIONSHIP, NodeType.ATTRIBUTE)
_MADE = (NodeType.SEMANTIC_UNIT, NodeType.RELATIONSHIP)
_TELLING = (EdgeType.NAMES, EdgeType.RELATES)
_EDGES = (*_TELLING, EdgeType.DESCRIBES)
NO_CHUNK = -1
"""Stands for the chunk of a note that comes from several chunks."""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence or statement that belongs to a node of the graph."""

    row: int
    """Row of the node that the text belongs to."""
    text: str
    chunk: int
    """Node id of the chunk that the text comes from, or NO_CHUNK."""
    is_statement: bool = False
    """Whether the text is a statement of a relationship."""


@dataclass(frozen=True, slots=True)
class EntityAlias:
    """An entity that was merged into another one."""

    node: int
    key: str
    name: str


@dataclass(frozen=True)
class Heterograph:
    """The nodes and edges of the heterograph as arrays; nodes are ordered by type, then by key, so ids do not matter.

    Merged entities are one node with the edges of all. Entities that no semantic unit or relationship names are left out.
    """

    ids: NDArray[np.int64]
    """(v,) id of each node"""
    types: tuple[NodeType, ...]
    """(v,) type of each node"""
    keys: tuple[str, ...]
    """(v,) key of each node"""
    names: tuple[str, ...]
    """(v,) name of an entity, text of a unit or attribute"""
    edges: Edges
    """Edges of semantic units, relationships and attributes with entities, each once: rows (m,), rows (m,), weights (m,)"""
    said: tuple[tuple[tuple[int, str], ...], ...]
    """(v,) fragments of each unit or relationship: (chunk, statement or "")"""
    others: Mapping[int, tuple[EntityAlias, ...]]
    """Row of an entity -> the entities merged into it that a unit or relationship names, ordered by key; rows without any are
    left out."""

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.ids)

    def rows_of(self, kind: NodeType) -> NDArray[np.int64]:
        """Returns the ascending rows of the nodes of one type."""
        return np.flatnonzero(np.array([found is kind for found in self.types], dtype=bool))

    @cached_property
    def row_of(self) -> dict[int, int]:
        """Row of each node id."""
        return {int(number): row for row, number in enumerate(self.ids)}

    @cached_property
    def adjacency(self) -> sp.csr_matrix:
        """(v, v) symmetric float32 matrix of the edge weights."""
        return symmetric([self.edges], self.size)

    def beside(self, row: int) -> NDArray[np.int64]:
        """Returns the ascending rows of the nodes that share an edge with this one."""
        near = self.adjacency
        return np.sort(near.indices[near.indptr[row] : near.indptr[row + 1]]).astype(np.int64)

    def all_names(self, row: int) -> tuple[str, ...]:
        """Returns the name of an entity, followed by the names of the entities that were merged into it."""
        return self.names[row], *(other.name for other in self.others.get(row, ()))

    def all_keys(self, row: int) -> tuple[str, ...]:
        """Returns the key of an entity, followed by the keys of the entities that were merged into it."""
        return self.keys[row], *(other.key for other in self.others.get(row, ()))

    def notes(self, row: int) -> list[Note]:
        """Returns the texts of a node: of a unit or attribute its text, of a relationship its statements; an entity has none."""
        kind = self.types[row]
        if kind is NodeType.ENTITY:
            return []
        if kind is NodeType.RELATIONSHIP:
            first: dict[str, int] = {}
            for chunk, statement in self.said[row]:
                first.setdefault(spoken(statement), chunk)
            return [Note(row, text, chunk, True) for text, chunk in sorted(first.items()) if text]
        said = self.said[row]
        return [Note(row, " ".join(self.names[row].split()), said[0][0] if said else NO_CHUNK)]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of nodes and edges in hexadecimal; it does not depend on node ids."""
        hashed = hashlib.sha256()
        for row in range(self.size):
            statements = sorted(text for _, text in self.said[row])
            hashed.update(repr((str(self.types[row]), self.keys[row], self.names[row], statements)).encode())
        order = np.lexsort((self.edges[1], self.edges[0]))
        for column in self.edges:
            hashed.update(np.ascontiguousarray(column[order]).tobytes())
        return hashed.hexdigest()


def read_heterograph(store: Store) -> Heterograph:
    """Reads the current heterograph from the vault."""
    graph = GraphRows(store)
    with store.steady():
        merged = MergedNames(store)
        own = {kind: graph.edges(kind) for kind in _EDGES}
        nodes = [named_nodes(store, kind) for kind in _TYPES]
        ids = np.concatenate([found[0] for found in nodes])
        made = [
            number for kind, found in zip(_TYPES, nodes, strict=True) if kind in _MADE for number in found[0].tolist()
        ]
        fragments = FragmentRows(store).of_nodes(made)
    read = merged.edges(own)
    sources, targets, weights = (np.concatenate([read[kind][column] for kind in _EDGES]) for column in range(3))
    types = [kind for kind, found in zip(_TYPES, nodes, strict=True) for _ in found[1]]
    touched = np.isin(ids, np.concatenate([sources, targets]))
    kept = [row for row, kind in enumerate(types) if touched[row] or kind is not NodeType.ENTITY]
    keys = [key for found in nodes for key in found[1]]
    names = [name for found in nodes for name in found[2]]
    row_of = {int(ids[row]): number for number, row in enumerate(kept)}
    known = np.isin(sources, ids) & np.isin(targets, ids)
    ends = [np.array([row_of[int(number)] for number in column[known]], np.int64) for column in (sources, targets)]
    others = _others(merged, np.concatenate([own[kind][1] for kind in _TELLING]), ids, keys, names)
    return Heterograph(
        ids=ids[kept],
        types=tuple(types[row] for row in kept),
        keys=tuple(keys[row] for row in kept),
        names=tuple(names[row] for row in kept),
        edges=(ends[0], ends[1], weights[known]),
        said=tuple(tuple(fragments.get(int(ids[row]), ())) for row in kept),
        others={row_of[into]: tuple(found) for into, found in others.items()},
    )


def _others(
    merged: MergedNames, told_of: NDArray[np.int64], ids: NDArray[np.int64], keys: Sequence[str], names: Sequence[str]
) -> dict[int, list[EntityAlias]]:
    """Returns for each entity the entities that were merged into it and that a unit or relationship names, ordered as `ids`."""
    found: defaultdict[int, list[EntityAlias]] = defaultdict(list)
    for row in np.flatnonzero(np.isin(ids, merged.merged) & np.isin(ids, told_of)).tolist():
        node = int(ids[row])
        found[merged.stands_for(node)].append(EntityAlias(node, keys[row], names[row]))
    return found
