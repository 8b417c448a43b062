"""Stores which entities are merged, by the rules, by the user's decisions, and as the result of both."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType
from noderag_local.storage.database.columns import integer_columns
from noderag_local.storage.database.store import Row, Store
from noderag_local.storage.snapshots.snapshot import Edges

ENTITY_ENDS = {
    EdgeType.MENTION: (False, True),
    EdgeType.SUBJECT: (False, True),
    EdgeType.RECOGNISED: (False, True),
    EdgeType.ALIAS: (True, True),
    EdgeType.NAMES: (False, True),
    EdgeType.RELATES: (False, True),
    EdgeType.DESCRIBES: (False, True),
    EdgeType.MEMBER: (False, True),
    EdgeType.HOLDS: (False, True),
    EdgeType.PROFILES: (False, True),
}
"""Types of edges with entities at their ends, and whether the source and the target can be an entity."""
HAS_MERGES = "SELECT count(*) FROM sqlite_master WHERE name = 'merged_names'"
"""0 for a vault that no newer version has written to yet."""
_GONE = "SELECT DISTINCT block FROM name_blocks WHERE node_id IS NULL ORDER BY 1"
_HELD = """
SELECT b.block, n.id, n.key FROM name_blocks b JOIN nodes n ON n.id = b.node_id
WHERE b.block IN (SELECT value FROM json_each(?)) ORDER BY b.block, n.key
"""
_WITH_KEYS = """
SELECT a.key, b.key, {what} FROM {table} JOIN nodes a ON a.id = first JOIN nodes b ON b.id = second
ORDER BY {what}, min(a.key, b.key), max(a.key, b.key)
"""
_PARTED = """
SELECT source FROM edges LEFT JOIN merged_names ON node_id = target WHERE type IN ('d', 'f')
GROUP BY source HAVING count(DISTINCT coalesce(into_id, target)) > 1 ORDER BY source
"""
_SAME = "SELECT node_id, into_id FROM merged_names ORDER BY node_id"


@dataclass(frozen=True, slots=True)
class SamePair:
    """Keys, in order, of two entities that are the same or that the user keeps apart."""

    first: str
    second: str
    rule: str
    """Name of the rule; "" for a decision of the user."""


class MergedNames:
    """Maps merged entities to the ones that represent them; empty for an older vault."""

    def __init__(self, store: Store) -> None:
        rows = store.rows(_SAME) if store.value(HAS_MERGES) else []
        self.merged, self.into = integer_columns(rows, 2)
        self._into: dict[int, int] = dict(rows)
        self._held: defaultdict[int, list[int]] = defaultdict(list)
        for node, into in rows:
            self._held[into].append(node)

    def stands_for(self, node: int) -> int:
        """Returns the entity that a node is merged into; the node itself if it is not merged."""
        return self._into.get(node, node)

    def all_of(self, node: int) -> list[int]:
        """Returns all entities merged with a node: first the one that represents them, then the others, ascending."""
        into = self.stands_for(node)
        return [into, *self._held.get(into, ())]

    def edges(self, edges: Mapping[EdgeType, Edges]) -> dict[EdgeType, Edges]:
        """Redirects the edges of a snapshot to merged entities; each pair occurs once, with its highest weight."""
        if not len(self.merged):
            return dict(edges)
        return {
            kind: self._joined(columns, *ENTITY_ENDS[kind]) if kind in ENTITY_ENDS else columns
            for kind, columns in edges.items()
        }

    def _joined(self, columns: Edges, by_source: bool, by_target: bool) -> Edges:
        sources, targets, weights = columns
        new_sources = self._moved(sources) if by_source else sources
        new_targets = self._moved(targets) if by_target else targets
        if by_source:
            # Undirected edges: two of them may now join the same nodes.
            new_sources, new_targets = np.minimum(new_sources, new_targets), np.maximum(new_sources, new_targets)
        if not ((new_sources != sources).any() or (new_targets != targets).any()):
            return columns
        # The heaviest edge of a pair comes first; ids are far below 2**31.
        pairs = new_sources << 32 | new_targets
        order = np.lexsort((-weights, pairs))
        order = order[np.concatenate([[True], np.diff(pairs[order]) != 0])]
        order = order[new_sources[order] != new_targets[order]]
        return new_sources[order], new_targets[order], weights[order]

    def _moved(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        places = np.minimum(np.searchsorted(self.merged, nodes), len(self.merged) - 1)
        return np.where(self.merged[places] == nodes, self.into[places], nodes)


class NameRows:
    """The tables `name_blocks`, `same_names`, `name_decisions` and `merged_names`.

    Methods that write must be called inside a transaction.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def clear(self) -> None:
        """Removes the results of the rules; the user's decisions stay."""
        for table in ("name_blocks", "same_names"):
            self._store.run(f"DELETE FROM {table}")

    def put_blocks(self, blocks: Iterable[tuple[int, int]]) -> None:
        """Adds pairs (entity, block); existing ones stay."""
        self._store.run_many("INSERT OR IGNORE INTO name_blocks (node_id, block) VALUES (?, ?)", blocks)

    def take_gone(self) -> set[int]:
        """Returns and deletes the blocks of removed entities."""
        gone = {block for (block,) in self._store.rows(_GONE)}
        self._store.run("DELETE FROM name_blocks WHERE node_id IS NULL")
        return gone

    def held(self, blocks: Collection[int]) -> list[tuple[int, int, str]]:
        """Returns (block, entity, key of the entity) for the given blocks, ordered by block, then key."""
        return [(block, node, key) for block, node, key in self._store.rows(_HELD, (json.dumps(sorted(blocks)),))]

    def put_pairs(self, blocks: Collection[int], pairs: Iterable[tuple[int, int, int, str]]) -> None:
        """Replaces the pairs of the given blocks by rows (block, entity, entity, rule)."""
        self._store.run(
            "DELETE FROM same_names WHERE block IN (SELECT value FROM json_each(?))", (json.dumps([*blocks]),)
        )
        self._store.run_many(
            "INSERT INTO same_names (block, first, second, rule) VALUES (?, ?, ?, ?)",
            ((block, min(one, other), max(one, other), rule) for block, one, other, rule in pairs),
        )

    def by_rule(self) -> list[SamePair]:
        """Returns the pairs that the rules merge, ordered by rule, then keys."""
        return [_pair(*row) for row in self._with_keys("same_names", "rule")]

    def decided(self) -> tuple[list[SamePair], list[SamePair]]:
        """Returns the user's decisions, ordered by keys: the pairs that are the same, and the pairs that are kept apart."""
        told: tuple[list[SamePair], list[SamePair]] = ([], [])
        for first, second, same in self._with_keys("name_decisions", "same"):
            told[0 if same else 1].append(_pair(first, second, ""))
        return told

    def _with_keys(self, table: str, what: str) -> list[Row]:
        """Returns pairs of keys with another column of their table; empty for an older vault."""
        there = self._store.value(HAS_MERGES)
        return self._store.rows(_WITH_KEYS.format(table=table, what=what)) if there else []

    def decide(self, one: int, other: int, same: bool | None) -> None:
        """Stores a decision about two entities; None removes it."""
        ends = (min(one, other), max(one, other))
        self._store.touch()
        if same is None:
            self._store.run("DELETE FROM name_decisions WHERE first = ? AND second = ?", ends)
        else:
            self._store.run(
                "INSERT OR REPLACE INTO name_decisions (first, second, same) VALUES (?, ?, ?)", (*ends, int(same))
            )

    def put_merged(self, merged: Mapping[int, int]) -> bool:
        """Replaces the whole mapping from merged entities to their representatives; returns whether it has changed."""
        if dict(self._store.rows(_SAME)) == merged:
            return False
        self._store.touch()
        self._store.run("DELETE FROM merged_names")
        self._store.run_many("INSERT INTO merged_names (node_id, into_id) VALUES (?, ?)", sorted(merged.items()))
        return True

    def parted(self) -> list[int]:
        """Returns the ids, ascending, of attributes and profiles of entities that are no longer merged."""
        return [attribute for (attribute,) in self._store.rows(_PARTED)]


def _pair(first: str, second: str, rule: str) -> SamePair:
    return SamePair(min(first, second), max(first, second), rule)


def merged_ends(pairs: Sequence[SamePair]) -> list[str]:
    """Returns the keys in the given pairs, each once, sorted."""
    return sorted({key for pair in pairs for key in (pair.first, pair.second)})
