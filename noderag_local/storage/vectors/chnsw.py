"""C-HNSW: a navigable graph for each level, and links from each level into the one below.

Wang et al. 2025, "ArchRAG", section 3.1.3 and Algorithms 2 and 3.

Two kinds of links are followed: from each node to the nearest of its level (equation 1), and to its nearest node of the level
below (equation 2). A level is entered at the links of the best nodes of the level above, the highest level at any node: it is
small and compared one by one. The paper inserts one node after the other by its own search (Algorithm 3), which approximates
both kinds of links. Here usearch finds the former by a search for a level's own vectors, and the latter are compared exactly.
The walk is implemented here, since usearch accepts no entry points and does not expose its links. It is SearchLayer of
Algorithm 2, but compares all neighbours of the beam at once, and its beam is wider than k, as in HNSW.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.snapshots.cache_file import read_payload, write_payload
from noderag_local.storage.vectors.vector_index import VectorIndex, best_columns

LEVEL_EXACT_UP_TO = 250_000
"""Vectors of a level that a query is compared with one by one: 47 ms for 250,000 of 384 numbers, warm."""
KIND = b"NRLNK001"
LINKS = 16
"""M, of every node to its nearest; the paper gives no number. Recall is 0.986 with 8, 0.992 with 16, 1.000 with 24."""
BEAM = 64
"""Width of the beam: nodes of a level whose neighbours are visited. With one entry, recall is 0.894 with 5, which is the paper's k,
0.946 with 16 and 0.984 with 64."""
ENTRIES = 16
"""Nodes of a level whose links the walk through the level below begins with; the paper has 1. Recall is 0.984 with 1, 0.992 with 16.

All these are the recall of the nearest 5 of the 14,460 entities of MuSiQue's training set for its 100 questions
(scripts/bench/chnsw.py); one usearch index over the entities has 0.966."""
BLOCK_ROWS = 512


@dataclass(frozen=True)
class Nearest:
    """Nodes found on one level."""

    rows: NDArray[np.int64]
    """(m,), nearest first, ties by row; fewer than k where the level has fewer"""
    cosines: NDArray[np.float32]
    """(m,)"""


class CommunityHnsw:
    """Search for the nearest nodes of every level, from the top level down."""

    def __init__(
        self,
        levels: Sequence[NDArray[np.float32]],
        cache: Path | None = None,
        exact_up_to: int = LEVEL_EXACT_UP_TO,
    ) -> None:
        """Stores the levels; links are made when they are first needed.

        Args:
            levels: (n, dim) unit rows of each level, the lowest first. The highest is always searched exactly.
            cache: file for the links of the lowest level, which has row numbers but no vectors; None keeps them in memory.
            exact_up_to: largest number of nodes for which a level is searched exactly.
        """
        last = len(levels) - 1
        self._levels = [
            _Level(vectors, cache if number == 0 else None, number < last and len(vectors) > exact_up_to)
            for number, vectors in enumerate(levels)
        ]
        self._below: dict[int, NDArray[np.int64]] = {}

    def search(
        self, query: NDArray[np.float32], k: int, allowed: Sequence[NDArray[np.bool_]] | None = None
    ) -> tuple[Nearest, ...]:
        """Returns the nearest nodes of each level, the lowest level first.

        Args:
            query: (dim,) of unit length.
            k: maximal number of nodes for each level.
            allowed: for each level, (n,) mask of the nodes that may be found, which are compared one by one; None allows all.
        """
        found: list[Nearest] = []
        for number, level in reversed(list(enumerate(self._levels))):
            if allowed is not None:
                found.append(level.exact(query, k, allowed[number]))
            elif level.is_walked and len(found[-1].rows):
                found.append(level.walked.search(query, max(k, ENTRIES), self._entries(number, found[-1])))
            else:
                found.append(level.exact(query, max(k, ENTRIES)))
        return tuple(Nearest(one.rows[:k], one.cosines[:k]) for one in reversed(found))

    def _entries(self, number: int, above: Nearest) -> NDArray[np.int64]:
        """Returns the nodes of a level that the best nodes of the level above are linked to."""
        if number not in self._below:
            self._below[number] = nearest_below(self._levels[number + 1].vectors, self._levels[number].vectors)
        return distinct(self._below[number][above.rows[:ENTRIES]])


def nearest_below(upper: NDArray[np.float32], lower: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns the nearest row of a level for each row of the level above, (u,); ties by row.

    Args:
        upper: (u, dim) unit rows.
        lower: (n, dim) unit rows, at least one.
    """
    blocks = [upper[start : start + BLOCK_ROWS] @ lower.T for start in range(0, len(upper), BLOCK_ROWS)]
    return np.concatenate([np.zeros(0, np.int64), *(block.argmax(axis=1) for block in blocks)])


class _Level:
    """One level, which is searched exactly or by walking along links."""

    def __init__(self, vectors: NDArray[np.float32], cache: Path | None, is_walked: bool) -> None:
        self.vectors, self.is_walked = vectors, is_walked
        self._cache = cache

    @cached_property
    def walked(self) -> _Walked:
        return _Walked(self.vectors, self._cache)

    def exact(self, query: NDArray[np.float32], k: int, inside: NDArray[np.bool_] | None = None) -> Nearest:
        if not len(self.vectors):
            return Nearest(np.zeros(0, np.int64), np.zeros(0, np.float32))
        cosines = self.vectors @ query
        if inside is not None:
            cosines = np.where(inside, cosines, -np.inf).astype(np.float32)
        columns, best = best_columns(cosines[None], k)
        there = (columns[0] >= 0) & np.isfinite(best[0])
        return Nearest(columns[0][there], best[0][there])


class _Walked:
    """A level as a graph of its distinct vectors.

    Entities that occur in a single sentence have that sentence's vector: two of five on MuSiQue. Without merging equal vectors, such a
    group would be linked only to itself.
    """

    def __init__(self, vectors: NDArray[np.float32], cache: Path | None) -> None:
        first, self._distinct_of = _distinct(vectors)
        self._vectors = np.ascontiguousarray(vectors[first])
        order = np.argsort(self._distinct_of, kind="stable")
        starts = np.searchsorted(self._distinct_of[order], np.arange(len(first) + 1))
        self._twins = LinkedRows(starts.astype(np.int64), order.astype(np.int64))
        self._links = LinkedRows.both_ways(nearest_links(self._vectors, cache))

    def search(self, query: NDArray[np.float32], k: int, entries: NDArray[np.int64]) -> Nearest:
        """Runs SearchLayer of Algorithm 2, but visits the neighbours of a whole beam at a time."""
        rows, cosines = self._beam(query, distinct(self._distinct_of[entries]), max(BEAM, k))
        best = np.lexsort((rows, -cosines))[:k]
        counts = np.diff(self._twins.starts)[rows[best]]
        with_twins, of_twins = self._twins.of(rows[best]), np.repeat(cosines[best], counts)
        order = np.lexsort((with_twins, -of_twins))[:k]
        return Nearest(with_twins[order], of_twins[order])

    def _beam(
        self, query: NDArray[np.float32], entries: NDArray[np.int64], width: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        seen = np.zeros(len(self._vectors), dtype=bool)
        seen[entries] = True
        rows, cosines, done = entries, self._vectors[entries] @ query, np.zeros(len(entries), dtype=bool)
        while True:
            best = np.argsort(-cosines, kind="stable")[:width]
            rows, cosines, done = rows[best], cosines[best], done[best]
            if done.all():
                return rows, cosines
            near = self._links.of(rows[~done])
            near = distinct(near[~seen[near]])
            seen[near] = True
            rows = np.concatenate([rows, near])
            cosines = np.concatenate([cosines, self._vectors[near] @ query])
            done = np.concatenate([np.ones(len(done), dtype=bool), np.zeros(len(near), dtype=bool)])


def nearest_links(vectors: NDArray[np.float32], cache: Path | None) -> NDArray[np.int64]:
    """Returns (n, LINKS) the nearest rows of each row, found by usearch; -1 fills missing ones.

    Args:
        vectors: (n, dim) unit rows.
        cache: file to read if it fits these vectors, else to write; None uses no file.
    """
    narrow = vectors.astype(np.float16)
    origin = hashlib.sha256(f"{narrow.shape} {LINKS}".encode() + narrow.tobytes()).digest()
    payload = read_payload(cache, KIND, origin) if cache else None
    if payload is not None:
        return np.frombuffer(payload, np.dtype("<i4")).reshape(len(vectors), LINKS).astype(np.int64)
    near = np.concatenate(list(_neighbours(narrow)))
    if cache:
        write_payload(cache, KIND, origin, near.astype("<i4").tobytes())
    return near


def _neighbours(vectors: NDArray[np.float16]) -> Iterator[NDArray[np.int64]]:
    index = VectorIndex(np.arange(len(vectors)), vectors)
    for block in index.all_neighbours(LINKS):
        yield block.neighbours


def _distinct(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the numbers of distinct rows (m,), ascending, and for each row (n,) the number of its equal distinct row."""
    narrow = np.ascontiguousarray(vectors.astype(np.float16))
    keys = narrow.view(np.dtype((np.void, narrow.shape[1] * narrow.itemsize))).ravel()
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return first[order].astype(np.int64), place[group].astype(np.int64)


@dataclass(frozen=True)
class LinkedRows:
    """Links from each row of a table to rows of a table."""

    starts: NDArray[np.int64]
    """(n + 1,) start of each row's links in `targets`, and the end of the last row's links"""
    targets: NDArray[np.int64]
    """(links,)"""

    @classmethod
    def of_lists(cls, lists: Sequence[NDArray[np.int64]]) -> LinkedRows:
        """Makes the links from a list of targets for each row."""
        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        targets = np.concatenate(lists) if len(lists) else np.zeros(0, np.int64)
        return cls(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), targets.astype(np.int64))

    @classmethod
    def both_ways(cls, near: NDArray[np.int64]) -> LinkedRows:
        """Returns undirected links, each listed at both ends, ascending.

        Args:
            near: (n, m) rows to which each row is linked; -1 fills missing ones.
        """
        own = np.repeat(np.arange(len(near)), near.shape[1])
        there = near.ravel() >= 0
        ends = own[there], near.ravel()[there]
        pairs = distinct(ends[0] * len(near) + ends[1], ends[1] * len(near) + ends[0])
        sources, targets = np.divmod(pairs, max(len(near), 1))
        return cls(np.searchsorted(sources, np.arange(len(near) + 1)).astype(np.int64), targets.astype(np.int64))

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the joined links of the given rows; a target occurs once for each link."""
        starts, lengths = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        places = np.arange(before[-1]) + np.repeat(starts - before[:-1], lengths)
        return np.asarray(self.targets[places], dtype=np.int64)
