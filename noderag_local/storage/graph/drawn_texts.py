"""Stores texts that a model wrote about other nodes: profiles (P) and written semantic units (W).

A text has an edge to what it is of and one to every sentence that it may tell of, so that forgetting a sentence finds it.
It goes with the node that it is of; see `derived.remove_nodes`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from noderag_local.domain.graph import EdgeType, NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.graph_rows import GraphRows


class DrawnTexts:
    """Nodes of one of these types with their edges."""

    def __init__(self, store: Store, kind: NodeType) -> None:
        """Keeps the vault and the type, PROFILE or WRITTEN_UNIT."""
        self._graph, self._store, self._kind = GraphRows(store), store, kind

    def put_text(self, key: str, text: str, of: Sequence[int], sentences: Collection[int]) -> int:
        """Stores a text in place of an earlier one and returns its node; a changed one loses its vector.

        Args:
            key: identity of the node; must not depend on ids.
            text: name of the node.
            of: nodes that the text is of.
            sentences: all sentences that the text may tell of.
        """
        with self._store.transaction():
            (node,) = self._graph.put_nodes(self._kind, [(key, text)]).tolist()
            for kind, targets in ((EdgeType.PROFILES, sorted({*of})), (EdgeType.DRAWN, sorted({*sentences}))):
                self._graph.remove_edges(
                    kind, [(node, target) for _, target, _ in self._graph.edges_from(kind, [node])]
                )
                self._graph.add_edges(kind, [node] * len(targets), targets, [1.0] * len(targets))
        return int(node)

    def keep_only(self, keys: Collection[str]) -> None:
        """Removes all texts of the type with other keys. Must be called inside a transaction."""
        ids, known, _ = self._graph.nodes_of(self._kind)
        gone = [int(node) for node, key in zip(ids, known, strict=True) if key not in keys]
        if gone:
            self._graph.remove_nodes(gone)

    def of(self, nodes: Sequence[int]) -> dict[int, int]:
        """Returns node -> the text that is of it; those without one are left out."""
        return {target: text for text, target, _ in self._graph.edges_to(EdgeType.PROFILES, nodes)}
