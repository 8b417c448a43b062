"""Stores entities, keywords, other derived nodes, and typed edges."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noderag_local.domain.graph import EdgeType, Neighbour, NodeType
from noderag_local.storage.database.columns import integers
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.fts_query import phrase
from noderag_local.storage.graph.derived import FORGET_NAMES, list_gone, remove_nodes
from noderag_local.storage.graph.edge_letters import BY_TARGET, LETTERS, TYPES
from noderag_local.storage.vectors.unembedded import FAILED_TEXTS

# Not 'd': an attribute depends on its entity, not the entity on its attribute. Nor 'c', the edge of a community.
_ORPHANS = """
SELECT id FROM nodes WHERE type = ? AND key IS NOT NULL
  AND id NOT IN (SELECT target FROM edges WHERE type IN ('m', 'k', 'u', 'a', 'r', 'n', 'e'))
  AND id NOT IN (SELECT source FROM edges WHERE type = 'a')
ORDER BY id
"""
_UNHELD = f"""
SELECT value FROM json_each(?) WHERE value NOT IN (
  SELECT target FROM {BY_TARGET} AND type IN ('r', 'n', 'e') AND target IN (SELECT value FROM json_each(?1)))
"""
_ATTRIBUTES_OF = f"""
SELECT source FROM {BY_TARGET} AND type = 'd' AND target IN (SELECT value FROM json_each(?))
"""
_WANTED = """
CREATE TEMP TABLE IF NOT EXISTS wanted_edges (source INTEGER, target INTEGER, weight REAL, PRIMARY KEY (source, target))
WITHOUT ROWID
"""
_REMOVE_UNWANTED = """
DELETE FROM edges WHERE type = ? AND NOT EXISTS (
  SELECT 1 FROM temp.wanted_edges w WHERE w.source = edges.source AND w.target = edges.target AND w.weight = edges.weight)
"""
_ADD_WANTED = """
INSERT OR IGNORE INTO edges (type, source, target, weight)
SELECT ?, source, target, weight FROM temp.wanted_edges ORDER BY source, target
"""
_PAGE = 1 << 13
_PAGE_OF_EDGES = """
    SELECT source, target, weight FROM edges WHERE type = ? AND (source, target) > (?, ?)
    ORDER BY source, target LIMIT ?"""
_INDEX_NAMES = "INSERT INTO entity_names (rowid, name) SELECT id, name FROM entities"


class GraphRows:
    """The table `edges`, and the rows of `nodes` that are not parts of documents.

    A node is identified by its key, which must not depend on ids, so that the same notes always give the same vault. The name of a
    semantic unit, attribute, high-level element or overview is its text.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def nodes_of(self, kind: NodeType) -> tuple[NDArray[np.int64], list[str], list[str]]:
        """Returns all nodes of a type whose nodes have keys: ids (n,) ascending, keys and names."""
        rows = self._store.rows(
            "SELECT id, key, name FROM nodes WHERE type = ? AND key IS NOT NULL ORDER BY id", (str(kind),)
        )
        return integers(rows), [row[1] for row in rows], [row[2] for row in rows]

    def named(self, kind: NodeType) -> tuple[NDArray[np.int64], list[str]]:
        """Returns the ids and names of the nodes of a type, as `nodes_of` but without keys."""
        rows = self._store.rows(
            "SELECT id, name FROM nodes WHERE type = ? AND key IS NOT NULL ORDER BY id", (str(kind),)
        )
        return integers(rows), [row[1] for row in rows]

    def has_any(self, kinds: Collection[NodeType]) -> bool:
        """Returns whether there is a node of one of the types, which must have keys."""
        sql = "SELECT 1 FROM nodes WHERE type = ? AND key IS NOT NULL LIMIT 1"
        return any(self._store.rows(sql, (str(kind),)) for kind in kinds)

    def put_nodes(self, kind: NodeType, items: Iterable[tuple[str, str]], *, rename: bool = True) -> NDArray[np.int64]:
        """Adds nodes, or renames nodes that exist. The time grows with the number of items, not of all nodes.

        Args:
            kind: type of the nodes.
            items: (key, name); a key that occurs twice is one node, with the last name.
            rename: whether existing nodes get the new name.

        Returns:
            Ids (n,), one for each item, in the same order.
        """
        wanted = [(storable(key), storable(name)) for key, name in items]
        names = dict(wanted)
        with self._store.transaction():
            self._store.touch()
            rows = self._store.rows(_BY_KEY, (str(kind), json.dumps(list(names))))
            numbers: dict[str, int] = {key: number for key, number, _ in rows}
            if rename:
                self._rename([(number, names[key]) for key, number, name in rows if names[key] != name])
            added = [(key, name) for key, name in names.items() if key not in numbers]
            numbers |= zip([key for key, _ in added], self._add(kind, added), strict=True)
        return np.fromiter((numbers[key] for key, _ in wanted), np.int64, len(wanted))

    def remove_nodes(self, node_ids: Collection[int]) -> None:
        """Removes nodes with their edges, names, vectors, fragments and work items; never parts of documents."""
        with self._store.transaction():
            self._store.touch()
            remove_nodes(self._store, node_ids)

    def replace_edges(self, kind: EdgeType, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike) -> None:
        """Replaces all edges of a type. Edges that stay as they are are not written, so that a log of changes leaves them out.

        Args:
            kind: type of the edges; SEMANTIC edges are undirected and listed once, with source < target.
            sources: (n,) node ids.
            targets: (n,) node ids; each pair of source and target occurs once.
            weights: (n,) weights of the edges.
        """
        columns = (np.asarray(sources, np.int64), np.asarray(targets, np.int64), np.asarray(weights, np.float64))
        order = np.lexsort((columns[1], columns[0]))
        letter = LETTERS[kind]
        with self._store.transaction():
            self._store.touch()
            self._store.run(_WANTED)
            self._store.run_many(
                "INSERT INTO temp.wanted_edges (source, target, weight) VALUES (?, ?, ?)",
                _rows_in_order(columns, order),
            )
            self._store.run(_REMOVE_UNWANTED, (letter,))
            self._store.run(_ADD_WANTED, (letter,))
            self._store.run("DELETE FROM temp.wanted_edges")

    def add_edges(self, kind: EdgeType, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike) -> None:
        """Adds edges of a type, or updates the weight of existing ones; arguments as for `replace_edges`."""
        columns = (np.asarray(sources, np.int64), np.asarray(targets, np.int64), np.asarray(weights, np.float64))
        letter = LETTERS[kind]
        with self._store.transaction():
            self._store.touch()
            self._store.run_many(
                "INSERT OR REPLACE INTO edges (type, source, target, weight) VALUES (?, ?, ?, ?)",
                ((letter, *row) for row in zip(*(column.tolist() for column in columns), strict=True)),
            )

    def remove_edges_of(self, kind: EdgeType, node_ids: Collection[int]) -> None:
        """Removes the edges of a type that start or end in one of the nodes."""
        nodes = json.dumps([int(node) for node in node_ids])
        with self._store.transaction():
            self._store.touch()
            self._store.run(_REMOVE_FROM, (LETTERS[kind], nodes))
            self._store.run(_REMOVE_TO[_has_target_index(kind)], (LETTERS[kind], nodes))

    def remove_edges(self, kind: EdgeType, pairs: Iterable[tuple[int, int]]) -> None:
        """Removes single edges (source, target); missing ones are ignored."""
        with self._store.transaction():
            self._store.touch()
            self._store.run_many(
                "DELETE FROM edges WHERE type = ? AND source = ? AND target = ?",
                ((LETTERS[kind], source, target) for source, target in pairs),
            )

    def has_edges(self, kind: EdgeType) -> bool:
        """Returns whether there is any edge of a type."""
        return bool(self._store.value("SELECT EXISTS (SELECT 1 FROM edges WHERE type = ?)", (LETTERS[kind],)))

    def edges_from(self, kind: EdgeType, node_ids: Collection[int]) -> list[tuple[int, int, float]]:
        """Returns (source, target, weight) of the edges of a type from the given nodes, ordered by source, then target."""
        return self._ends(_FROM, kind, node_ids)

    def edges_to(self, kind: EdgeType, node_ids: Collection[int]) -> list[tuple[int, int, float]]:
        """Returns (source, target, weight) of the edges of a type to the given nodes, ordered by target, then source.

        For edges from sentences to entities and keywords this reads all edges of the type, since these have no index by target.
        """
        return self._ends(_TO[_has_target_index(kind)], kind, node_ids)

    def targets_of(self, kinds: Collection[EdgeType], node_ids: Collection[int]) -> dict[int, list[int]]:
        """Returns node -> targets, ascending, of its edges of the given types; nodes without such edges are left out."""
        found: dict[int, set[int]] = {}
        for kind in kinds:
            for source, target, _ in self.edges_from(kind, node_ids):
                found.setdefault(source, set()).add(target)
        return {source: sorted(targets) for source, targets in found.items()}

    def _ends(self, sql: str, kind: EdgeType, node_ids: Collection[int]) -> list[tuple[int, int, float]]:
        rows = self._store.rows(sql, (LETTERS[kind], json.dumps([int(node) for node in node_ids])))
        return [(source, target, weight) for source, target, weight in rows]

    def count_edges(self) -> int:
        """Returns the number of edges of all types."""
        return int(self._store.value("SELECT count(*) FROM edges"))

    def edges(
        self, kind: EdgeType, read: Callable[[int], None] = lambda _: None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Reads all edges of a type, ordered by source, then target.

        Args:
            kind: type of the edges.
            read: called now and then with the number of edges that were read since.

        Returns:
            Sources (n,), targets (n,) and weights (n,).
        """
        columns = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))]
        last = (-1, -1)
        # In parts, because other threads wait while a million rows become arrays or are freed.
        while page := self._store.rows(_PAGE_OF_EDGES, (LETTERS[kind], *last, _PAGE)):
            # A float64 holds every id, which are below 2⁵³.
            numbers = np.fromiter(chain.from_iterable(page), np.float64, 3 * len(page)).reshape(-1, 3)
            columns.append(
                (numbers[:, 0].astype(np.int64), numbers[:, 1].astype(np.int64), numbers[:, 2].astype(np.float32))
            )
            last = page[-1][:2]
            read(len(page))
        all_sources, all_targets, all_weights = zip(*columns, strict=True)
        return np.concatenate(all_sources), np.concatenate(all_targets), np.concatenate(all_weights)

    def drop_orphans(self, kinds: Collection[NodeType]) -> None:
        """Removes entities or keywords that no sentence, semantic unit or relationship mentions, with their attributes."""
        with self._store.transaction():
            self._store.touch()
            for kind in kinds:
                orphans = [number for (number,) in self._store.rows(_ORPHANS, (str(kind),))]
                attributes = [number for (number,) in self._store.rows(_ATTRIBUTES_OF, (json.dumps(orphans),))]
                remove_nodes(self._store, [*orphans, *attributes])

    def drop_unnamed(self, node_ids: Iterable[int]) -> None:
        """Removes the given entities and keywords, with their attributes, unless a semantic unit or relationship mentions them.

        Args:
            node_ids: entities and keywords without edges from sentences and aliases; the caller checks this, since these edges
                have no index by target.
        """
        with self._store.transaction():
            self._store.touch()
            unnamed = [n for (n,) in self._store.rows(_UNHELD, (json.dumps([int(node) for node in node_ids]),))]
            attributes = [n for (n,) in self._store.rows(_ATTRIBUTES_OF, (json.dumps(unnamed),))]
            remove_nodes(self._store, attributes)
            remove_nodes(self._store, unnamed, named=False)

    def find(self, kind: NodeType, keys: Collection[str]) -> dict[str, int]:
        """Returns key -> id of the nodes of a type; unknown keys are left out."""
        rows = self._store.rows(
            "SELECT key, id FROM nodes WHERE type = ? AND key IN (SELECT value FROM json_each(?)) ORDER BY id",
            (str(kind), json.dumps([storable(key) for key in keys])),
        )
        found: dict[str, int] = dict(rows)
        return found

    def keys_of(self, node_ids: Collection[int]) -> dict[int, str]:
        """Returns id -> key of nodes that have keys, ordered by id."""
        wanted = json.dumps([int(node) for node in node_ids])
        return dict(self._store.rows(_KEYS, (wanted,)))

    def names(self, node_ids: Sequence[int]) -> list[str]:
        """Returns the names of nodes, in the order of the ids: an entity's name, a sentence's text, a document's title."""
        rows = self._store.rows(_NAMES, (json.dumps(list(node_ids)),))
        found: dict[int, str] = dict(rows)
        return [found[number] for number in node_ids]

    def entities_containing(self, words: Sequence[str], limit: int | None = None) -> list[int]:
        """Returns the ids of entities whose names contain the words side by side, shortest name first, then by id."""
        query = phrase(words)
        if not query:
            return []
        rows = self._store.rows(
            "SELECT nodes.id FROM entity_names JOIN nodes ON nodes.id = entity_names.rowid WHERE entity_names MATCH ?"
            " ORDER BY length(nodes.name), nodes.id LIMIT ?",
            (query, -1 if limit is None else limit),
        )
        return [number for (number,) in rows]

    def neighbours(self, node_id: int, limit: int) -> list[Neighbour]:
        """Returns the neighbours of a node, heaviest edge first, then by type and name.

        Edges of one type and weight in both directions give one neighbour.
        """
        rows = self._store.rows(_NEIGHBOURS, (node_id, limit))
        return [Neighbour(NodeType(kind), name, TYPES[edge], weight) for kind, name, edge, weight in rows]

    def _add(self, kind: NodeType, items: Sequence[tuple[str | None, str]]) -> range:
        """Adds nodes of (key, name) and returns their ids, in the same order."""
        next_id = self._store.next_node_id()
        self._store.run_many(
            "INSERT INTO nodes (id, type, key, name) VALUES (?, ?, ?, ?)",
            ((number, str(kind), key, name) for number, (key, name) in enumerate(items, next_id)),
        )
        if kind is NodeType.ENTITY:
            self._store.run(f"{_INDEX_NAMES} WHERE id >= ?", (next_id,))
        return range(next_id, next_id + len(items))

    def _rename(self, names: Sequence[tuple[int, str]]) -> None:
        """Gives nodes their new names, from (id, new name), and removes the vectors of the old names."""
        if not names:
            return
        list_gone(self._store, "SELECT value FROM json_each(?)", (json.dumps([number for number, _ in names]),))
        self._store.run(f"{FORGET_NAMES} WHERE id IN temp.gone")
        self._store.run_many("UPDATE nodes SET name = ? WHERE id = ?", ((name, number) for number, name in names))
        self._store.run(f"{_INDEX_NAMES} WHERE id IN temp.gone")
        for table in ("embeddings", "coming_embeddings"):
            self._store.run(f"DELETE FROM {table} WHERE node_id IN temp.gone")
        self._store.run("DELETE FROM work_items WHERE stage = ? AND node_id IN temp.gone", (FAILED_TEXTS,))
        self._store.forget_words()


def _has_target_index(kind: EdgeType) -> bool:
    return f"'{LETTERS[kind]}'" not in BY_TARGET


_BY_KEY = """
SELECT key, id, name FROM nodes WHERE type = ? AND key IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_KEYS = "SELECT id, key FROM nodes WHERE id IN (SELECT value FROM json_each(?)) AND key IS NOT NULL ORDER BY id"
_FROM = """
SELECT source, target, weight FROM edges WHERE type = ? AND source IN (SELECT value FROM json_each(?))
ORDER BY source, target
"""
_REMOVE_FROM = "DELETE FROM edges WHERE type = ? AND source IN (SELECT value FROM json_each(?))"
_TARGETS = {False: "edges WHERE", True: f"{BY_TARGET} AND"}
"""Query by target for edges without and with an index on targets."""
_OF_TARGETS = "type = ? AND target IN (SELECT value FROM json_each(?))"
_TO = {
    has_index: f"SELECT source, target, weight FROM {edges} {_OF_TARGETS} ORDER BY target, source"
    for has_index, edges in _TARGETS.items()
}
_REMOVE_TO = {has_index: f"DELETE FROM {edges} {_OF_TARGETS}" for has_index, edges in _TARGETS.items()}
_NAMES = """
SELECT nodes.id, coalesce(nodes.name, documents.title, sentences.text, '')
FROM nodes LEFT JOIN documents ON documents.id = nodes.id LEFT JOIN sentences ON sentences.id = nodes.id
WHERE nodes.id IN (SELECT value FROM json_each(?))
"""
_NEIGHBOURS = """
WITH beside (id, edge, weight) AS (
  SELECT target, type, weight FROM edges WHERE source = ?1
  UNION SELECT source, type, weight FROM edges WHERE target = ?1
)
SELECT nodes.type, coalesce(nodes.name, documents.title, sentences.text, ''), edge, weight
FROM beside JOIN nodes ON nodes.id = beside.id
LEFT JOIN documents ON documents.id = beside.id
LEFT JOIN sentences ON sentences.id = beside.id
ORDER BY weight DESC, nodes.type, 2, beside.id LIMIT ?2
"""


def _rows_in_order(columns: Sequence[NDArray[Any]], order: NDArray[np.int64]) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of some columns; makes them in parts, since other threads wait while a part is made."""
    for at in range(0, len(order), _PAGE):
        part = order[at : at + _PAGE]
        yield from zip(*(column[part].tolist() for column in columns), strict=True)
