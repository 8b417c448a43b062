"""Finds the communities of the heterograph and selects the notes of each for a prompt (NodeRAG, section 2.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.graph.algorithms.clusters import bounded_communities
from noderag_local.graph.summaries.heterograph import Heterograph, Note, read_heterograph
from noderag_local.graph.summaries.high_level import forget_elements
from noderag_local.graph.summaries.important import has_describable_name
from noderag_local.graph.summaries.selection import Weighed, blended
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows

FEWEST_UNITS = 3
"""Minimum number of semantic units of a community; a smaller one is not worth a summary."""
MOST_UNITS = 40
"""Maximum number of semantic units of a community; a larger one is split. A prompt shows only the most central ones."""
WHOLE_UNITS = 8
"""A connected component with at most this many semantic units is one community and is not split."""
STATEMENT = 0.5
"""Weight of a relationship's statement relative to a semantic unit, since it usually repeats less of the same content."""
INPUT_TOKENS = 450
"""Estimated tokens of the notes in a prompt."""
LOOSE_BOND = 0.2
"""Weight of edges to dates, numbers and common words; all others have 1. Sharing "1990" does not relate two notes."""
ATTRIBUTE_SHARE = 0.3
"""Share of the notes' tokens for attributes."""

COMMUNITIES_OF = "communities of"
"""Name of the stored fact that says which state of the graph the communities were made from."""


_METHOD = 1
"""Version of the method; raise it when the method changes, so that all communities are found again."""


@dataclass(frozen=True, slots=True)
class Community:
    """A group of nodes that belong together, and the notes that a prompt shows of them."""

    rows: NDArray[np.int64]
    """Rows of the heterograph, ascending."""
    notes: tuple[Note, ...]
    """Its most central notes, as many as fit into a prompt."""
    units: int
    chunks: int
    """Number of chunks that its units come from."""

    @property
    def key(self) -> str:
        """Hash of its notes, which identifies it: while the notes are the same, its summaries are kept."""
        return hashlib.sha256(
            "\n".join(sorted(note.text for note in self.notes)).encode("utf-8", "replace")
        ).hexdigest()[:24]


def find_communities(graph: Heterograph) -> list[Community]:
    """Finds communities by Leiden over all nodes, each small enough for a prompt; leaves out those with few units."""
    is_unit = np.array([kind is NodeType.SEMANTIC_UNIT for kind in graph.types], dtype=np.int64)
    sources, targets, weights = graph.edges
    parts = bounded_communities(graph.size, sources, targets, weights * _bond(graph), is_unit, MOST_UNITS, WHOLE_UNITS)
    found = [community_of(graph, rows) for rows in parts if is_unit[rows].sum() >= FEWEST_UNITS]
    return [community for community in found if community.notes]


def _bond(graph: Heterograph) -> NDArray[np.float32]:
    """Returns how strongly each edge binds its ends, (m,); edges of dates, numbers and common words bind weakly."""
    loose = np.array(
        [kind is NodeType.ENTITY and not has_describable_name(graph, row) for row, kind in enumerate(graph.types)],
        dtype=bool,
    )
    sources, targets, _ = graph.edges
    return np.where(loose[sources] | loose[targets], LOOSE_BOND, 1.0).astype(np.float32)


def community_of(graph: Heterograph, rows: NDArray[np.int64]) -> Community:
    """Returns the community that these nodes form, with its most central notes.

    The weight of an entity is the number of the community's nodes beside it; the weight of any other node is the sum of the
    weights of its entities.
    """
    inside = graph.adjacency[rows][:, rows]
    degree = np.diff(inside.indptr)
    weight = inside @ degree.astype(np.float64)
    of_kind: dict[NodeType, list[Weighed]] = {kind: [] for kind in NodeType}
    for place, row in enumerate(rows):
        for note in graph.notes(int(row)):
            central = float(weight[place]) / max(int(degree[place]), 1)
            of_kind[graph.types[row]].append(Weighed(note, central * (STATEMENT if note.is_statement else 1.0)))
    said = [*of_kind[NodeType.SEMANTIC_UNIT], *of_kind[NodeType.RELATIONSHIP]]
    return Community(
        rows,
        tuple(blended(of_kind[NodeType.ATTRIBUTE], said, ATTRIBUTE_SHARE, INPUT_TOKENS)),
        len(of_kind[NodeType.SEMANTIC_UNIT]),
        len({one.note.chunk for one in said}),
    )


class CommunitiesStep:
    """A `Step` that finds the communities again when the graph has changed; those with the same notes keep their summaries."""

    name = "communities"

    def needed(self, store: Store) -> bool:
        """Returns whether the graph has changed since the communities were made."""
        return store.facts.get(COMMUNITIES_OF) != _state(read_heterograph(store))

    def run(self, store: Store, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Finds and stores the communities, in one transaction."""
        graph = read_heterograph(store)
        found = find_communities(graph)
        if cancelled():
            return
        with store.transaction():
            store_communities(store, graph, found)
            store.facts[COMMUNITIES_OF] = _state(graph)
        advanced(len(found), len(found))

    def drop(self, store: Store) -> None:
        """Removes all communities, with their high-level elements and overviews."""
        with store.transaction():
            _remove(store, GraphRows(store).nodes_of(NodeType.COMMUNITY)[0].tolist())
            store.facts.pop(COMMUNITIES_OF, None)


def store_communities(store: Store, graph: Heterograph, found: Sequence[Community]) -> None:
    """Replaces the stored communities; call it inside a transaction."""
    rows = GraphRows(store)
    by_key = {community.key: community for community in found}
    ids, keys, _ = rows.nodes_of(NodeType.COMMUNITY)
    _remove(store, [int(number) for number, key in zip(ids, keys, strict=True) if key not in by_key])
    numbers = rows.put_nodes(NodeType.COMMUNITY, [(key, "") for key in by_key])
    members = [graph.ids[community.rows] for community in by_key.values()]
    sources = np.repeat(numbers, [len(found) for found in members])
    targets = np.concatenate(members) if members else np.zeros(0, np.int64)
    rows.replace_edges(EdgeType.MEMBER, sources, targets, np.ones(len(targets)))


def _remove(store: Store, communities: Sequence[int]) -> None:
    forget_elements(store, communities)
    GraphRows(store).remove_nodes(communities)


def _state(graph: Heterograph) -> str:
    return f"{graph.digest} {_METHOD}"
