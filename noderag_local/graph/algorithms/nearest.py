"""Finds the exact nearest rows of a matrix of float16, the same to the last bit whatever else is in the matrix.

Products of float16 are multiples of 2⁻⁴⁸, so a sum of them that stays below 32 has no rounding in float64, in whatever
order it is made: the cosine of two rows is one number. A product of matrices in float32, which is quick and whose last
bits depend on the shapes, only chooses the candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

BLOCK = 512
"""Rows at a time that are compared with all."""
MARGIN = 1e-4
"""Largest error of float32 for the cosine of two unit rows: 384 roundings of 6e-8 are 2.3e-5, on both sides of a comparison."""
PAIRS_AT_ONCE = 1 << 14
"""Pairs whose cosines are made in one step; 100 MB with 384 numbers a row."""
MOST_CANDIDATES = 1 << 10
"""Most candidates of a row; where there are more, most of them are equal rows."""
_GROUPS = 64
"""Parts that a line is cut into; their greatest scores give a lower bound of the k-th greatest of all."""


@dataclass(frozen=True, slots=True)
class NearestRows:
    """Some rows of a matrix with the nearest other rows of each."""

    rows: NDArray[np.int64]
    """(m,)"""
    nearest: NDArray[np.int64]
    """(m, k), nearest first; −1 where there are fewer"""
    cosines: NDArray[np.float64]
    """(m, k), exact; −1 where there are fewer"""


class Nearness:
    """Finds nearest rows of one matrix; ties go to the row that comes first by `rank`."""

    def __init__(
        self, vectors: NDArray[np.float16] | NDArray[np.float32], rank: Callable[[], NDArray[np.int64]]
    ) -> None:
        """Takes the matrix.

        Args:
            vectors: (n, dim), unit rows; each number one of float16.
            rank: (n,), all different; asked at most once, and only when there are ties.
        """
        self._wide = vectors.astype(np.float32, copy=False)
        self._asked_rank = rank

    def nearest(self, rows: NDArray[np.int64], k: int) -> Iterator[NearestRows]:
        """Yields the k nearest others of each of the rows, in blocks."""
        for at in range(0, len(rows), BLOCK):
            yield self._nearest(rows[at : at + BLOCK], k)

    def within_reach(self, rows: NDArray[np.int64], reach: NDArray[np.float64]) -> NDArray[np.int64]:
        """Returns the rows, ascending, that a given row is at least as near to as `reach` says, and perhaps a few more.

        Args:
            rows: (m,) the given rows.
            reach: (n,) cosine for each row of the matrix.
        """
        best = np.full(len(self._wide), -2.0, np.float32)
        for at in range(0, len(rows), BLOCK):
            best = np.maximum(best, self._scores(rows[at : at + BLOCK]).max(axis=0))
        return np.flatnonzero(best >= reach - MARGIN)

    def cosines(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Returns the exact cosines (m,) of pairs of rows."""
        cosines = np.empty(len(left))
        for at in range(0, len(left), PAIRS_AT_ONCE):
            stretch = slice(at, at + PAIRS_AT_ONCE)
            pairs = self._wide[left[stretch]].astype(np.float64), self._wide[right[stretch]].astype(np.float64)
            cosines[stretch] = np.einsum("ij,ij->i", *pairs)
        return cosines

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """Rank of each row, (n,), which decides ties."""
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
        """Does the same as `_nearest` where many rows are equal: a file can repeat a sentence ten thousand times."""
        kinds = self._kinds
        nearest = np.full((len(rows), k), -1, np.int64)
        cosines = np.full((len(rows), k), -1.0)
        asked, which = np.unique(kinds.of_row[rows], return_inverse=True)
        scores = self._wide[kinds.first[asked]] @ self._wide[kinds.first].T
        for number, (line, bound) in enumerate(zip(scores, _bounds(scores, k + 1), strict=True)):
            # One more than asked for, since a row itself is among those that are equal to it.
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
        """Returns columns that include the k nearest, since no score is off by more than the margin."""
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
        """(n,) number of the row's kind."""
        self._rows = np.lexsort((rank, self.of_row))
        self._starts = np.searchsorted(self.of_row[self._rows], np.arange(len(number_of) + 1))
        self.first = self._rows[self._starts[:-1]]
        """(kinds,) a row of each."""

    def members(self, kind: int, most: int) -> NDArray[np.int64]:
        """Returns at most so many rows of a kind, those that come first by rank."""
        return np.asarray(self._rows[self._starts[kind] : min(self._starts[kind] + most, self._starts[kind + 1])])


def _bounds(scores: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """Returns (m,) a lower bound of each line's k-th greatest score, less the margin."""
    size = scores.shape[1] // _GROUPS
    if k > _GROUPS or size < 2:
        # Not the row itself, which has −2.
        return np.full(len(scores), -1.5, np.float32)
    greatest = scores[:, : size * _GROUPS].reshape(len(scores), _GROUPS, size).max(axis=2)
    return np.asarray(np.partition(greatest, _GROUPS - k, axis=1)[:, _GROUPS - k] - np.float32(MARGIN))
