"""Reads every node and every edge with names and texts, or the nodes of one type by key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.storage.database.columns import integers
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.edge_letters import TYPES

CONTAINS = "contains"
"""Type of the edges from documents to chunks and from chunks to sentences, which are not stored as edges."""

_NODES = """
SELECT n.id, n.type, coalesce(n.name, ''), '', 0 FROM nodes n WHERE n.type NOT IN ('D', 'T', 'X')
UNION ALL SELECT d.id, 'D', d.title, f.path, 1 FROM documents d JOIN files f ON f.id = d.file_id
UNION ALL SELECT c.id, 'T', c.text, f.path, c.first_line
  FROM chunks c JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id
UNION ALL SELECT s.id, 'X', s.text, f.path, s.first_line
  FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id
ORDER BY 1
"""
_CONTAINED = """
SELECT document_id, id FROM chunks UNION ALL SELECT chunk_id, id FROM sentences ORDER BY 1, 2
"""
_EDGES = "SELECT source, type, target, weight FROM edges WHERE type IN ({letters}) ORDER BY type, source, target"


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node of any type."""

    id: int
    type: NodeType
    text: str
    """A name, a title, or the whole text."""
    path: str
    """Path of the node's file; "" if it does not belong to a single file."""
    first_line: int
    """First line in the file, from 1; 0 without a path."""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge of any type."""

    source: int
    target: int
    type: str
    """An EdgeType, or CONTAINS."""
    weight: float


def all_nodes(store: Store) -> Iterator[GraphNode]:
    """Yields every node, by id."""
    for number, kind, text, path, line in store.rows(_NODES):
        yield GraphNode(number, NodeType(kind), text, path_of(path), line)


def all_edges(store: Store) -> Iterator[GraphEdge]:
    """Yields every edge: first containment, then the others ordered by type, source and target."""
    for source, target in store.rows(_CONTAINED):
        yield GraphEdge(source, target, CONTAINS, 1.0)
    letters = ", ".join(f"'{letter}'" for letter in sorted(TYPES))
    for source, letter, target, weight in store.rows(_EDGES.format(letters=letters)):
        yield GraphEdge(source, target, str(EdgeType(TYPES[letter])), weight)


def named_nodes(store: Store, kind: NodeType) -> tuple[NDArray[np.int64], list[str], list[str]]:
    """Returns all nodes of a type that are not parts of documents: ids (n,), keys and names, ordered by key.

    A node without a key is ordered by its name; of equal keys the lower id comes first.
    """
    rows = store.rows(
        "SELECT id, coalesce(key, name, ''), coalesce(name, '') FROM nodes WHERE type = ? ORDER BY 2, 1", (str(kind),)
    )
    return integers(rows), [row[1] for row in rows], [row[2] for row in rows]
