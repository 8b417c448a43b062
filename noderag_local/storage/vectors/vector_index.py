"""Finds nearest vectors, exactly if that is fast enough and by HNSW otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.errors import StoreError
from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors.hnsw import Hnsw
from noderag_local.storage.vectors.vectors import VectorRows

FILE_NAMES = {
    NodeType.SENTENCE: "sentences.usearch",
    NodeType.TEXT: "chunks.usearch",
    NodeType.SEMANTIC_UNIT: "semantic-units.usearch",
    NodeType.ATTRIBUTE: "attributes.usearch",
    NodeType.HIGH_LEVEL_ELEMENT: "high-level-elements.usearch",
    NodeType.RELATIONSHIP: "relationships.usearch",
    NodeType.PROFILE: "profiles.usearch",
    NodeType.WRITTEN_UNIT: "written-units.usearch",
}
"""File name of the HNSW index for each type of node that has vectors."""
SEARCH_EXACT_UP_TO = 250_000
"""Vectors that a query is compared with one by one: 2.5 ms for 24,115 of 384 numbers, 47 ms for 250,000, warm. An index of fewer
would find them faster, but is made anew after each change, which takes seconds. No file is kept for fewer."""
NEIGHBOURS_EXACT_UP_TO = 2_000
"""Vectors that are all compared with all: 0.12 s for 2,000 (HNSW: 0.21 s), 1.3 s for 5,000 (HNSW: 0.55 s)."""
BLOCK = 512
"""Number of queries at a time in `all_neighbours`."""
SPARE = 8
"""Number of candidates beyond k that are scored exactly, since HNSW ranks by int8 vectors."""


@dataclass(frozen=True, slots=True)
class NeighbourBlock:
    """Nearest neighbours of a block of b vectors of the index."""

    ids: NDArray[np.int64]
    """(b,)"""
    neighbours: NDArray[np.int64]
    """(b, k), nearest first; -1 where there are fewer"""
    cosines: NDArray[np.float32]
    """(b, k), -1 where there are fewer"""


class VectorIndex:
    """All vectors of one type of nodes, in the state when the index was opened.

    Attributes:
        ids: (n,) int64, ascending.
        vectors: (n, dim) float16, unit rows.
    """

    def __init__(self, ids: NDArray[np.int64], vectors: NDArray[np.float16], cache: Path | None = None) -> None:
        self.ids = ids
        self.vectors = vectors
        self._cache = cache

    @classmethod
    def open(cls, store: Store, kind: NodeType) -> VectorIndex:
        """Reads the vectors of a type in FILE_NAMES; the HNSW index is opened or made when first needed."""
        ids, vectors = VectorRows(store).matrix(kind)
        cache = store.folder / FILE_NAMES[kind]
        if len(ids) > SEARCH_EXACT_UP_TO:
            return cls(ids, vectors, cache)
        if store.writable:
            # An HNSW file from a time with more vectors is removed, since it still has vectors of removed texts.
            with told_plainly(cache):
                cache.unlink(missing_ok=True)
        return cls(ids, vectors)

    def aligned(self, ids: NDArray[np.int64]) -> NDArray[np.float16]:
        """Returns (len(ids), dim) the vector of each id, or zeros if it has none.

        Args:
            ids: ids, ascending; must contain all ids of the index.
        """
        if len(self.ids) == len(ids):
            return self.vectors
        rows = np.zeros((len(ids), self.vectors.shape[1]), dtype=np.float16)
        rows[np.searchsorted(ids, self.ids)] = self.vectors
        return rows

    def cosines(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns the cosine of every query with every vector, (m, n) float32.

        Args:
            queries: (m, dim), unit rows.
        """
        return self._scores(self._checked(queries))

    def search(self, queries: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Finds the nearest vectors of each query.

        Args:
            queries: (m, dim), unit rows.
            k: number of vectors for each query.

        Returns:
            Ids (m, k) and cosines (m, k) with the stored vectors, best first, ties by id; -1 and -1.0 where there are
            fewer than k.
        """
        rows, cosines = self._nearest(self._checked(queries), k, SEARCH_EXACT_UP_TO)
        return self._ids_of(rows), cosines

    def all_neighbours(self, k: int) -> Iterator[NeighbourBlock]:
        """Yields the k nearest other vectors of every vector, in blocks ascending by id."""
        for at in range(0, len(self.ids), BLOCK):
            own = np.arange(at, min(at + BLOCK, len(self.ids)))
            rows, cosines = self._nearest(self._wide[own], k + 1, NEIGHBOURS_EXACT_UP_TO)
            rows, cosines = _without_self(own, rows, cosines)
            yield NeighbourBlock(self.ids[own], self._ids_of(rows), cosines)

    def _nearest(
        self, queries: NDArray[np.float32], k: int, exact_up_to: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Returns row numbers (m, k) and cosines (m, k) in the order of `search`."""
        if len(self.ids) <= exact_up_to:
            return best_columns(self._scores(queries), k)
        candidates = np.sort(self._hnsw.candidates(queries, min(k + SPARE, len(self.ids))), axis=1)
        scores = np.matmul(self._wide[candidates], queries[:, :, None])[:, :, 0]
        columns, cosines = best_columns(scores, k)
        rows = np.take_along_axis(candidates, np.maximum(columns, 0), axis=1)
        return np.where(columns < 0, -1, rows), cosines

    def _scores(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        # In this order, a single query is a matrix-vector product: 5.7 ms instead of 8.0 for 24,172 vectors.
        return np.ascontiguousarray((self._wide @ queries.T).T)

    def _ids_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(rows < 0, -1, self.ids[rows]) if len(self.ids) else rows

    def _checked(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        if len(self.ids) == 0:
            return np.empty((len(queries), 0), np.float32)
        if queries.ndim != 2 or queries.shape[1] != self.vectors.shape[1]:
            raise StoreError(
                f"The question's vector has shape {queries.shape}, those of the vault have {self.vectors.shape[1]} numbers. "
                "The vault was made with another embedding model: index again with this one: noderag index PATH."
            )
        return np.asarray(queries, np.float32)

    @cached_property
    def _wide(self) -> NDArray[np.float32]:
        return self.vectors.astype(np.float32)

    @cached_property
    def _hnsw(self) -> Hnsw:
        return Hnsw.of(self.vectors, self._cache)


def best_columns(scores: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Finds the k columns with the highest scores in each row.

    Args:
        scores: (m, n) float32.
        k: number of columns for each row.

    Returns:
        Columns (m, k) and their scores (m, k), best first, ties by column; -1 and -1.0 where n < k.
    """
    columns = np.full((len(scores), k), -1, np.int64)
    best = np.full((len(scores), k), -1.0, np.float32)
    for at, line in enumerate(scores):
        found = _best_of(line, k)
        columns[at, : len(found)] = found
        best[at, : len(found)] = line[found]
    return columns, best


def _best_of(line: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    if len(line) <= 4 * k:
        return np.argsort(-line, kind="stable")[:k]
    # All columns that tie at the border are kept, so that the lowest wins, not a random one of the partition.
    border = np.partition(line, len(line) - k)[len(line) - k]
    kept = np.flatnonzero(line >= border)
    return kept[np.argsort(-line[kept], kind="stable")[:k]]


def _without_self(
    own: NDArray[np.int64], rows: NDArray[np.int64], cosines: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Removes the vector itself from its row, or the last column if equal vectors have pushed it off the list."""
    order = np.argsort(rows == own[:, None], axis=1, kind="stable")[:, :-1]
    return np.take_along_axis(rows, order, 1), np.take_along_axis(cosines, order, 1)
