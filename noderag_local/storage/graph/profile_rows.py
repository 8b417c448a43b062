"""Stores LightRAG's profiles of entities and relationships: keys to search by and a text (Guo et al. 2024, section 3.1).

A profile has an edge to what it is of and one to every sentence that it may tell of, so that forgetting a sentence finds it.
It goes with the entity or relationship that it is of; see `derived.remove_nodes`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows


@dataclass(frozen=True, slots=True)
class Profile:
    """The keys and the text of a profile."""

    keys: tuple[str, ...]
    """The entity's name, or the themes of a relationship."""
    text: str

    @property
    def stored(self) -> str:
        """The name of its node: each key on a line, and the text on the last one."""
        return "\n".join(" ".join(part.split()) for part in (*self.keys, self.text))


class ProfileRows:
    """Nodes of the type P with their edges."""

    def __init__(self, store: Store) -> None:
        self._graph = GraphRows(store)
        self._store = store

    def put(self, key: str, profile: Profile, of: Sequence[int], sentences: Collection[int]) -> int:
        """Stores a profile in place of an earlier one and returns its node; a changed one loses its vector.

        Args:
            key: identity of the profile; must not depend on ids.
            profile: the profile.
            of: the relationship, or the entity with those merged into it.
            sentences: all sentences that the profile may tell of.
        """
        with self._store.transaction():
            (node,) = self._graph.put_nodes(NodeType.PROFILE, [(key, profile.stored)]).tolist()
            for kind, targets in ((EdgeType.PROFILES, sorted({*of})), (EdgeType.DRAWN, sorted({*sentences}))):
                self._graph.remove_edges(
                    kind, [(node, target) for _, target, _ in self._graph.edges_from(kind, [node])]
                )
                self._graph.add_edges(kind, [node] * len(targets), targets, [1.0] * len(targets))
        return int(node)

    def keep_only(self, keys: Collection[str]) -> None:
        """Removes all profiles with other keys. Must be called inside a transaction."""
        ids, known, _ = self._graph.nodes_of(NodeType.PROFILE)
        gone = [int(node) for node, key in zip(ids, known, strict=True) if key not in keys]
        if gone:
            self._graph.remove_nodes(gone)

    def of(self, nodes: Sequence[int]) -> dict[int, int]:
        """Returns entity or relationship -> its profile; those without one are left out."""
        return {target: profile for profile, target, _ in self._graph.edges_to(EdgeType.PROFILES, nodes)}


def read_profile(name: str) -> Profile:
    """Returns the profile that the name of its node holds, as `Profile.stored` made it."""
    *keys, text = name.split("\n")
    return Profile(tuple(keys), text)
