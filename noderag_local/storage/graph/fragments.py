"""Stores fragments: for each derived node, the chunks it was made from and the text taken from each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.derived import remove_unfounded

_OF_NODES = """
SELECT node_id, chunk_id, text FROM fragments WHERE node_id IN (SELECT value FROM json_each(?))
ORDER BY node_id, chunk_id, position
"""
_OWNERS = """
SELECT DISTINCT node_id FROM fragments JOIN nodes ON nodes.id = node_id WHERE chunk_id = ? AND type = ? ORDER BY 1
"""
_DELETE = """
DELETE FROM fragments WHERE chunk_id = ? AND node_id IN (SELECT value FROM json_each(?))
"""


class FragmentRows:
    """The table `fragments`.

    `replace` and `DocumentRows.remove` remove a semantic unit or relationship together with its last fragment.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def replace(self, chunk_id: int, node_type: NodeType, rows: Sequence[tuple[int, str]]) -> None:
        """Replaces the fragments of a chunk that belong to nodes of a type.

        Args:
            chunk_id: id of the chunk.
            node_type: type of the nodes.
            rows: (node id, text), in the order of their positions; a node may occur more than once.
        """
        with self._store.transaction():
            self._store.touch()
            before = [number for (number,) in self._store.rows(_OWNERS, (chunk_id, str(node_type)))]
            self._store.run(_DELETE, (chunk_id, json.dumps(before)))
            self._store.run_many(
                "INSERT INTO fragments (chunk_id, node_id, position, text) VALUES (?, ?, ?, ?)",
                ((chunk_id, int(node), position, storable(text)) for position, (node, text) in enumerate(rows)),
            )
            remove_unfounded(self._store, before)

    def of_node(self, node_id: int) -> list[tuple[int, str]]:
        """Returns the fragments of a node as (chunk id, text), ordered by chunk, then position."""
        return self.of_nodes([node_id])[node_id]

    def of_nodes(self, node_ids: Iterable[int]) -> dict[int, list[tuple[int, str]]]:
        """Returns node id -> its fragments as in `of_node`; the list is empty for a node without fragments."""
        found: dict[int, list[tuple[int, str]]] = {int(number): [] for number in node_ids}
        for node, chunk, text in self._store.rows(_OF_NODES, (json.dumps(list(found)),)):
            found[node].append((chunk, text))
        return found

    def of_chunk(self, chunk_id: int) -> list[tuple[int, str]]:
        """Returns the fragments of a chunk as (node id, text), ordered by position, then node."""
        return self._store.rows(
            "SELECT node_id, text FROM fragments WHERE chunk_id = ? ORDER BY position, node_id", (chunk_id,)
        )
