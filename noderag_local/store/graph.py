"""Entities, keywords and typed edges."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noderag_local.records import EdgeType, Neighbour, NodeType
from noderag_local.store.columns import integers
from noderag_local.store.database import Store
from noderag_local.store.edge_letters import LETTERS, TYPES
from noderag_local.store.fts_query import phrase
from noderag_local.store.gone import list_gone
from noderag_local.store.spelling import storable

_ORPHANS = """
SELECT id FROM nodes WHERE type = ?
  AND id NOT IN (SELECT target FROM edges WHERE type IN ('m', 'k', 'u', 'a'))
  AND id NOT IN (SELECT source FROM edges WHERE type = 'a')
"""
_INDEX_NAMES = "INSERT INTO entity_names (rowid, name) SELECT id, name FROM entities"
_FORGET_NAMES = "INSERT INTO entity_names (entity_names, rowid, name) SELECT 'delete', id, name FROM entities"


class GraphRows:
    """The tables `nodes` (those with a key) and `edges`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def nodes_of(self, kind: NodeType) -> tuple[NDArray[np.int64], list[str], list[str]]:
        """Every node of a type that has keys: ids (n,) ascending, keys, names."""
        rows = self._store.rows(
            "SELECT id, key, name FROM nodes WHERE type = ? AND key IS NOT NULL ORDER BY id", (str(kind),)
        )
        return integers(rows), [row[1] for row in rows], [row[2] for row in rows]

    def put_nodes(self, kind: NodeType, items: Iterable[tuple[str, str]]) -> NDArray[np.int64]:
        """Adds nodes or gives those that are there another name.

        Args:
            kind: ENTITY or KEYWORD.
            items: (key, name); a key that comes twice is one node, with the last name.

        Returns:
            Ids (n,), one an item, in the same order.
        """
        wanted = [(storable(key), storable(name)) for key, name in items]
        names = dict(wanted)
        with self._store.transaction():
            self._store.touch()
            rows = self._store.rows("SELECT key, id, name FROM nodes WHERE type = ? AND key IS NOT NULL", (str(kind),))
            numbers = {key: number for key, number, _ in rows}
            self._rename([(number, names[key]) for key, number, name in rows if names.get(key, name) != name])
            numbers |= self._add(kind, [(key, name) for key, name in names.items() if key not in numbers])
        return np.fromiter((numbers[key] for key, _ in wanted), np.int64, len(wanted))

    def replace_edges(self, kind: EdgeType, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike) -> None:
        """All edges of a type, in place of those that are there.

        Args:
            kind: SEMANTIC edges are undirected and given once, with source < target.
            sources, targets: (n,) node ids; a pair comes once.
            weights: (n,).
        """
        columns = (np.asarray(sources, np.int64), np.asarray(targets, np.int64), np.asarray(weights, np.float64))
        order = np.lexsort((columns[1], columns[0]))
        ends_and_weights = zip(*(column[order].tolist() for column in columns), strict=True)
        letter = LETTERS[kind]
        with self._store.transaction():
            self._store.touch()
            self._store.run("DELETE FROM edges WHERE type = ?", (letter,))
            self._store.run_many(
                "INSERT INTO edges (type, source, target, weight) VALUES (?, ?, ?, ?)",
                ((letter, source, target, weight) for source, target, weight in ends_and_weights),
            )

    def edges(self, kind: EdgeType) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Sources (n,), targets (n,) and weights (n,) of a type, by source, then target."""
        rows = self._store.rows(
            "SELECT source, target, weight FROM edges WHERE type = ? ORDER BY source, target", (LETTERS[kind],)
        )
        if not rows:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32)
        sources, targets, weights = zip(*rows, strict=True)
        return np.array(sources, np.int64), np.array(targets, np.int64), np.array(weights, np.float32)

    def drop_orphans(self, kinds: Collection[NodeType]) -> None:
        """Removes entities or keywords that no edge touches."""
        with self._store.transaction():
            self._store.touch()
            for kind in kinds:
                if list_gone(self._store, _ORPHANS, (str(kind),)):
                    self._store.run(f"{_FORGET_NAMES} WHERE id IN temp.gone")
                    self._store.run("DELETE FROM nodes WHERE id IN temp.gone")
                    self._store.forget_words()

    def find(self, kind: NodeType, keys: Collection[str]) -> dict[str, int]:
        """Key -> id of those of the keys that nodes of the type have."""
        rows = self._store.rows(
            "SELECT key, id FROM nodes WHERE type = ? AND key IN (SELECT value FROM json_each(?)) ORDER BY id",
            (str(kind), json.dumps([storable(key) for key in keys])),
        )
        found: dict[str, int] = dict(rows)
        return found

    def names(self, node_ids: Sequence[int]) -> list[str]:
        """What nodes are called, in the order of the ids: an entity's name, a sentence's text, a document's title."""
        rows = self._store.rows(_NAMES, (json.dumps(list(node_ids)),))
        found: dict[int, str] = dict(rows)
        return [found[number] for number in node_ids]

    def entities_containing(self, words: Sequence[str], limit: int) -> list[int]:
        """Ids of entities in whose name the words stand side by side, shortest name first, then by id."""
        query = phrase(words)
        if not query:
            return []
        rows = self._store.rows(
            "SELECT nodes.id FROM entity_names JOIN nodes ON nodes.id = entity_names.rowid WHERE entity_names MATCH ?"
            " ORDER BY length(nodes.name), nodes.id LIMIT ?",
            (query, limit),
        )
        return [number for (number,) in rows]

    def neighbours(self, node_id: int, limit: int) -> list[Neighbour]:
        """Nodes beside a node, heaviest edge first, then by type and name."""
        rows = self._store.rows(_NEIGHBOURS, (node_id, limit))
        return [Neighbour(NodeType(kind), name, TYPES[edge], weight) for kind, name, edge, weight in rows]

    def _add(self, kind: NodeType, items: Sequence[tuple[str, str]]) -> dict[str, int]:
        """New nodes; key -> id."""
        next_id = int(self._store.value("SELECT coalesce(max(id), 0) + 1 FROM nodes"))
        self._store.run_many(
            "INSERT INTO nodes (id, type, key, name) VALUES (?, ?, ?, ?)",
            ((number, str(kind), key, name) for number, (key, name) in enumerate(items, next_id)),
        )
        self._store.run(f"{_INDEX_NAMES} WHERE id >= ?", (next_id,))
        return {key: number for number, (key, _) in enumerate(items, next_id)}

    def _rename(self, names: Sequence[tuple[int, str]]) -> None:
        """(id, new name) of nodes that are there."""
        if not names:
            return
        list_gone(self._store, "SELECT value FROM json_each(?)", (json.dumps([number for number, _ in names]),))
        self._store.run(f"{_FORGET_NAMES} WHERE id IN temp.gone")
        self._store.run_many("UPDATE nodes SET name = ? WHERE id = ?", ((name, number) for number, name in names))
        self._store.run(f"{_INDEX_NAMES} WHERE id IN temp.gone")
        self._store.forget_words()


_NAMES = """
SELECT nodes.id, coalesce(nodes.name, documents.title, sentences.text, '')
FROM nodes LEFT JOIN documents ON documents.id = nodes.id LEFT JOIN sentences ON sentences.id = nodes.id
WHERE nodes.id IN (SELECT value FROM json_each(?))
"""
_NEIGHBOURS = """
WITH beside (id, edge, weight) AS (
  SELECT target, type, weight FROM edges WHERE source = ?1
  UNION ALL SELECT source, type, weight FROM edges WHERE target = ?1
)
SELECT nodes.type, coalesce(nodes.name, documents.title, sentences.text, ''), edge, weight
FROM beside JOIN nodes ON nodes.id = beside.id
LEFT JOIN documents ON documents.id = beside.id
LEFT JOIN sentences ON sentences.id = beside.id
ORDER BY weight DESC, nodes.type, 2, beside.id LIMIT ?2
"""
