"""Stores which entities are merged: by the rules, by a person's decision, and as a result of both."""

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
}
"""Edges that lead to entities, by whether their source and their target may be one."""
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
SELECT source FROM edges LEFT JOIN merged_names ON node_id = target WHERE type = 'd'
GROUP BY source HAVING count(DISTINCT coalesce(into_id, target)) > 1 ORDER BY source
"""
_SAME = "SELECT node_id, into_id FROM merged_names ORDER BY node_id"


@dataclass(frozen=True, slots=True)
class SamePair:
    """Two entities that are one, or that a person holds apart. By key, the lesser first."""

    first: str
    second: str
    rule: str
    """Name of the rule; "" for a decision of a person."""


class MergedNames:
    """The entities that stand for others. Empty for a vault that no newer version has written to yet."""

    def __init__(self, store: Store) -> None:
        rows = store.rows(_SAME) if store.value(HAS_MERGES) else []
        self.merged, self.into = integer_columns(rows, 2)
        self._into: dict[int, int] = dict(rows)
        self._held: defaultdict[int, list[int]] = defaultdict(list)
        for node, into in rows:
            self._held[into].append(node)

    def stands_for(self, node: int) -> int:
        """Returns the entity that a node is merged into; the node itself where there is none."""
        return self._into.get(node, node)

    def all_of(self, node: int) -> list[int]:
        """Returns every entity merged with a node: first the one that stands for all, then the others, ascending."""
        into = self.stands_for(node)
        return [into, *self._held.get(into, ())]

    def edges(self, edges: Mapping[EdgeType, Edges]) -> dict[EdgeType, Edges]:
        """Returns the edges of a snapshot, led to the entities that stand for others; a pair comes once, with its highest weight."""
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
            # These have no direction, so that two of them may come to join the same ends.
            new_sources, new_targets = np.minimum(new_sources, new_targets), np.maximum(new_sources, new_targets)
        if not ((new_sources != sources).any() or (new_targets != targets).any()):
            return columns
        # The heaviest of a pair comes first; ids are far below 2**31.
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

    All that writes stands inside a transaction of the caller.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def clear(self) -> None:
        """Removes what the rules made; decisions stay."""
        for table in ("name_blocks", "same_names"):
            self._store.run(f"DELETE FROM {table}")

    def put_blocks(self, blocks: Iterable[tuple[int, int]]) -> None:
        """Adds (entity, block); those that are there already stay."""
        self._store.run_many("INSERT OR IGNORE INTO name_blocks (node_id, block) VALUES (?, ?)", blocks)

    def take_gone(self) -> set[int]:
        """Returns and removes the blocks of entities that are gone."""
        gone = {block for (block,) in self._store.rows(_GONE)}
        self._store.run("DELETE FROM name_blocks WHERE node_id IS NULL")
        return gone

    def held(self, blocks: Collection[int]) -> list[tuple[int, int, str]]:
        """Returns (block, entity, its key) of some blocks, by block, then key."""
        return [(block, node, key) for block, node, key in self._store.rows(_HELD, (json.dumps(sorted(blocks)),))]

    def put_pairs(self, blocks: Collection[int], pairs: Iterable[tuple[int, int, int, str]]) -> None:
        """Replaces the pairs of some blocks by (block, entity, entity, rule)."""
        self._store.run(
            "DELETE FROM same_names WHERE block IN (SELECT value FROM json_each(?))", (json.dumps([*blocks]),)
        )
        self._store.run_many(
            "INSERT INTO same_names (block, first, second, rule) VALUES (?, ?, ?, ?)",
            ((block, min(one, other), max(one, other), rule) for block, one, other, rule in pairs),
        )

    def by_rule(self) -> list[SamePair]:
        """Returns the pairs that the rules are sure of, by rule, then keys."""
        return [_pair(*row) for row in self._with_keys("same_names", "rule")]

    def decided(self) -> tuple[list[SamePair], list[SamePair]]:
        """Returns what a person decided: the pairs that are the same, and those that never are; by keys."""
        told: tuple[list[SamePair], list[SamePair]] = ([], [])
        for first, second, same in self._with_keys("name_decisions", "same"):
            told[0 if same else 1].append(_pair(first, second, ""))
        return told

    def _with_keys(self, table: str, what: str) -> list[Row]:
        """Returns pairs of keys with a column of their table; none in a vault that no newer version has written to yet."""
        there = self._store.value(HAS_MERGES)
        return self._store.rows(_WITH_KEYS.format(table=table, what=what)) if there else []

    def decide(self, one: int, other: int, same: bool | None) -> None:
        """Notes down a decision on two entities; None takes it back."""
        ends = (min(one, other), max(one, other))
        self._store.touch()
        if same is None:
            self._store.run("DELETE FROM name_decisions WHERE first = ? AND second = ?", ends)
        else:
            self._store.run(
                "INSERT OR REPLACE INTO name_decisions (first, second, same) VALUES (?, ?, ?)", (*ends, int(same))
            )

    def put_merged(self, merged: Mapping[int, int]) -> bool:
        """Replaces all of entity → the one that stands for it; returns whether anything has changed."""
        if dict(self._store.rows(_SAME)) == merged:
            return False
        self._store.touch()
        self._store.run("DELETE FROM merged_names")
        self._store.run_many("INSERT INTO merged_names (node_id, into_id) VALUES (?, ?)", sorted(merged.items()))
        return True

    def parted(self) -> list[int]:
        """Returns the attributes, ascending, of entities that are no longer merged."""
        return [attribute for (attribute,) in self._store.rows(_PARTED)]


def _pair(first: str, second: str, rule: str) -> SamePair:
    return SamePair(min(first, second), max(first, second), rule)


def merged_ends(pairs: Sequence[SamePair]) -> list[str]:
    """Returns the keys of some pairs, each once, in order."""
    return sorted({key for pair in pairs for key in (pair.first, pair.second)})
