"""Finds the exact nearest rows of a float16 matrix; cosines do not depend on the other rows of the matrix.

Products of float16 numbers have 22 bits, which float32 holds, and are multiples of 2⁻⁴⁸, so float64 adds them without rounding, in
any order, while the sum stays below 32. A float32 matrix product, which is fast but rounds differently for each shape, only selects candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.vectors.wide_rows import wide_rows

BLOCK = 512
"""Most rows that are compared with the whole matrix in one step."""
SCORES_AT_ONCE = 1 << 25
"""Most scores that are computed in one step; 128 MB."""
MARGIN = 1e-4
"""Bound on the float32 error when two cosines are compared: each has at most 384 roundings of 6e-8, which is 2.3e-5."""
PAIRS_AT_ONCE = 1 << 9
"""Number of pairs whose cosines are computed in one step; they stay in the processor's cache, which halves the time."""
MOST_CANDIDATES = 1 << 10
"""Above this number of candidates for a row, equal rows are grouped, since most candidates are then duplicates."""
_GROUPS = 64
"""Number of groups that a row of scores is divided into; the maxima of the groups give a lower bound of its k-th score."""


@dataclass(frozen=True, slots=True)
class NearestRows:
    """A block of rows and, for each, the nearest other rows."""

    rows: NDArray[np.int64]
    """(m,) the rows whose nearest rows were searched"""
    nearest: NDArray[np.int64]
    """(m, k) rows, nearest first; −1 where fewer were found"""
    cosines: NDArray[np.float64]
    """(m, k) exact cosines; −1 where fewer rows were found"""


class Nearness:
    """Finds the nearest rows of one matrix; of rows with equal cosines, the one with the lower rank comes first."""

    def __init__(
        self, vectors: NDArray[np.float16] | NDArray[np.float32], rank: Callable[[], NDArray[np.int64]]
    ) -> None:
        """Keeps the matrix and the function that ranks its rows.

        Args:
            vectors: (n, dim), unit rows; every number must be a float16 value, also in a float32 array.
            rank: returns the rank of each row, (n,), all different; called at most once, when the first tie occurs.
        """
        self.vectors = vectors
        self._asked_rank = rank

    @cached_property
    def _wide(self) -> NDArray[np.float32]:
        return self.vectors.astype(np.float32, copy=False)

    def nearest(self, rows: NDArray[np.int64], k: int) -> Iterator[NearestRows]:
        """Yields, block by block, the k nearest other rows of each given row."""
        for block in self._blocks(rows):
            yield self._nearest(block, k)

    def nearest_among(
        self, rows: NDArray[np.int64], lists: NDArray[np.int64], candidates: NDArray[np.int64], k: int
    ) -> NearestRows:
        """Returns the k nearest of some candidates of each row.

        Args:
            rows: (m,) the rows, ascending.
            lists: (p,) for each candidate the row whose candidate it is.
            candidates: (p,) rows; no row is its own candidate, and none comes twice for a row.
            k: length of the lists.
        """
        cosines = self.cosines(lists, candidates)
        order = np.lexsort((-cosines, lists))
        if _has_ties(lists[order], cosines[order]):
            order = np.lexsort((self.rank[candidates], -cosines, lists))
        lists, candidates, cosines = lists[order], candidates[order], cosines[order]
        line = np.searchsorted(rows, lists)
        place = np.arange(len(lists)) - np.searchsorted(lists, lists)
        kept = place < k
        found = NearestRows(rows, np.full((len(rows), k), -1, np.int64), np.full((len(rows), k), -1.0))
        found.nearest[line[kept], place[kept]] = candidates[kept]
        found.cosines[line[kept], place[kept]] = cosines[kept]
        return found

    def within_reach(
        self, rows: NDArray[np.int64], reach: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yields the pairs of any row and a given row whose cosine is at least the reach of the first, or just below it.

        Args:
            rows: (m,) the given rows.
            reach: (n,) minimum cosine for each row of the matrix.
        """
        least = (reach - MARGIN).astype(np.float32)
        for block in self._blocks(rows):
            given, reached = np.nonzero(self._scores(block) >= least)
            yield reached, block[given]

    def _blocks(self, rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        size = min(BLOCK, max(1, SCORES_AT_ONCE // max(1, len(self.vectors))))
        for at in range(0, len(rows), size):
            yield rows[at : at + size]

    def cosines(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Returns the exact cosine of each pair of rows, (m,)."""
        cosines = np.empty(len(left))
        for at in range(0, len(left), PAIRS_AT_ONCE):
            stretch = slice(at, at + PAIRS_AT_ONCE)
            products = wide_rows(self.vectors[left[stretch]]) * wide_rows(self.vectors[right[stretch]])
            cosines[stretch] = products.sum(axis=1, dtype=np.float64)
        return cosines

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """(n,) rank of each row; decides the order of rows with equal cosines."""
        return self._asked_rank()

    def _nearest(self, rows: NDArray[np.int64], k: int) -> NearestRows:
        scores = self._scores(rows)
        scores[np.arange(len(rows)), rows] = -2.0
        found = [self._candidates(line, bound, k) for line, bound in zip(scores, _bounds(scores, k), strict=True)]
        sizes = [len(columns) for columns in found]
        if max(sizes, default=0) > MOST_CANDIDATES:
            return self._nearest_by_kind(rows, k)
        columns = np.concatenate(found) if found else np.empty(0, np.int64)
        exact = np.split(self.cosines(np.repeat(rows, sizes), columns), np.cumsum(sizes)[:-1])
        nearest = np.full((len(rows), k), -1, np.int64)
        cosines = np.full((len(rows), k), -1.0)
        for at, (candidates, values) in enumerate(zip(found, exact, strict=True)):
            order = self._order(candidates, values, k)
            nearest[at, : len(order)], cosines[at, : len(order)] = candidates[order], values[order]
        return NearestRows(rows, nearest, cosines)

    def _nearest_by_kind(self, rows: NDArray[np.int64], k: int) -> NearestRows:
        """Does the same as `_nearest`, faster where many rows are equal: a file can repeat a sentence ten thousand times."""
        kinds = self._kinds
        nearest = np.full((len(rows), k), -1, np.int64)
        cosines = np.full((len(rows), k), -1.0)
        asked, which = np.unique(kinds.of_row[rows], return_inverse=True)
        scores = self._wide[kinds.first[asked]] @ self._wide[kinds.first].T
        for number, (line, bound) in enumerate(zip(scores, _bounds(scores, k + 1), strict=True)):
            # One more than k, since each row is also a member of its own group.
            found = self._candidates(line, bound, k + 1)
            exact = self.cosines(np.full(len(found), kinds.first[asked[number]]), kinds.first[found])
            members = [kinds.members(kind, k + 1) for kind in found]
            candidates, values = np.concatenate(members), np.repeat(exact, [len(one) for one in members])
            order = self._order(candidates, values, k + 1)
            for at in np.flatnonzero(which == number):
                others = order[candidates[order] != rows[at]][:k]
                nearest[at, : len(others)], cosines[at, : len(others)] = candidates[others], values[others]
        return NearestRows(rows, nearest, cosines)

    @cached_property
    def _kinds(self) -> _Kinds:
        return _Kinds(self._wide, self.rank)

    def _candidates(self, line: NDArray[np.float32], bound: np.float32, k: int) -> NDArray[np.int64]:
        """Returns the columns that can be among the k nearest: those whose score is within the margin of the k-th score."""
        columns = np.flatnonzero(line >= bound)
        if len(columns) <= k:
            return columns
        scores = line[columns]
        return np.asarray(columns[scores >= np.partition(scores, len(scores) - k)[len(scores) - k] - MARGIN])

    def _order(self, candidates: NDArray[np.int64], cosines: NDArray[np.float64], k: int) -> NDArray[np.int64]:
        order = np.argsort(-cosines, kind="stable")
        first = cosines[order[: k + 1]]
        if (first[1:] == first[:-1]).any():
            order = np.lexsort((self.rank[candidates], -cosines))
        return order[:k]

    def _scores(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return np.asarray(self._wide[rows] @ self._wide.T)


class _Kinds:
    """Groups equal rows of a matrix."""

    def __init__(self, matrix: NDArray[np.float32], rank: NDArray[np.int64]) -> None:
        number_of: dict[bytes, int] = {}
        self.of_row = np.array([number_of.setdefault(row.tobytes(), len(number_of)) for row in matrix], np.int64)
        """(n,) group number of each row."""
        self._rows = np.lexsort((rank, self.of_row))
        self._starts = np.searchsorted(self.of_row[self._rows], np.arange(len(number_of) + 1))
        self.first = self._rows[self._starts[:-1]]
        """(kinds,) the first row of each group by rank."""

    def members(self, kind: int, most: int) -> NDArray[np.int64]:
        """Returns the first rows of a group by rank, at most `most`."""
        return np.asarray(self._rows[self._starts[kind] : min(self._starts[kind] + most, self._starts[kind + 1])])


def _has_ties(lists: NDArray[np.int64], cosines: NDArray[np.float64]) -> bool:
    """Returns whether two neighbouring candidates of a list have the same cosine."""
    return bool(((lists[1:] == lists[:-1]) & (cosines[1:] == cosines[:-1])).any())


def _bounds(scores: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """Returns a lower bound of the k-th largest score of each row, (m,), minus the margin."""
    size = scores.shape[1] // _GROUPS
    if k > _GROUPS or size < 2:
        # −1.5 lets every row pass except the row itself, whose score is set to −2.
        return np.full(len(scores), -1.5, np.float32)
    greatest = scores[:, : size * _GROUPS].reshape(len(scores), _GROUPS, size).max(axis=2)
    return np.asarray(np.partition(greatest, _GROUPS - k, axis=1)[:, _GROUPS - k] - np.float32(MARGIN))
