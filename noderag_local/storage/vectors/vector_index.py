"""Finds nearest vectors, exactly if that is fast enough and by HNSW otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.errors import StoreError
from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.cache_file import has_origin
from noderag_local.storage.snapshots.change_log import logged_from
from noderag_local.storage.snapshots.snapshot import origin
from noderag_local.storage.vectors.hnsw import KIND as HNSW_KIND
from noderag_local.storage.vectors.hnsw import Hnsw
from noderag_local.storage.vectors.vector_file import MappedVectors, read_mapped, usual_cosine
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.storage.vectors.wide_rows import wide_rows

HNSW_FILE = "sentences.usearch"
"""HNSW index of the sentences with their vectors, which the indexing of a large vault makes (`semantic_edges`)."""
SEARCH_EXACT_UP_TO = 50_000
"""Sentences that a question is compared with one by one: 2.5 ms for 24,115 of 384 numbers, warm. Of more, HNSW finds the nearest."""
WIDE_UP_TO = 250_000
"""Vectors that are kept as float32 where no HNSW index is there: 47 ms and 400 MB for 250,000 of 384 numbers."""
AT_ONCE = 1 << 15
"""Vectors of still more that are made float32 and compared at a time; they take 50 MB."""
NEIGHBOURS_EXACT_UP_TO = 2_000
"""Vectors that are all compared with all: 0.12 s for 2,000 (HNSW: 0.21 s), 1.3 s for 5,000 (HNSW: 0.55 s)."""
BLOCK = 512
"""Number of queries at a time in `all_neighbours`."""
PROPOSED = 384
"""Vectors that HNSW proposes for a question, of which the nearest are taken by their exact cosines: 0.991 of the nearest ten among 68,000
made-up sentences, 0.985 with 256, 0.959 with 192."""
SPARE = 8
"""Number of candidates beyond k that are scored exactly, since HNSW ranks by rounded cosines."""


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
    """

    def __init__(self, ids: NDArray[np.int64], vectors: NDArray[np.float16]) -> None:
        self.ids = ids
        self._mapped: MappedVectors | None = None
        self._given = vectors
        self._hnsw: Hnsw | None = None

    @classmethod
    def open(cls, store: Store, kind: NodeType) -> VectorIndex:
        """Reads the vectors of a type; those of a large vault are only looked at where they are compared."""
        mapped = read_mapped(store, kind)
        hnsw = None
        if mapped is not None and len(mapped.slots):
            hnsw = Hnsw.saved(mapped.rows.shape[1], store.folder / HNSW_FILE, origin(mapped.stamp))
        if mapped is None or (len(mapped.slots) and hnsw is None):
            return cls(*VectorRows(store).matrix(kind))
        made = cls(_present(mapped.ids, mapped.changed, mapped.added_ids), mapped.rows)
        made._mapped, made._hnsw = mapped, hnsw
        return made

    @cached_property
    def vectors(self) -> NDArray[np.float16]:
        """All vectors, (n, dim) float16, unit rows, in the order of the ids."""
        mapped = self._mapped
        if mapped is not None and len(mapped.slots):
            return self.of(self.ids)
        if mapped is None or not len(mapped.changed):
            return self._given
        kept = ~np.isin(mapped.ids, mapped.changed)
        joined = np.concatenate([mapped.ids[kept], mapped.added_ids])
        return np.concatenate([mapped.rows[kept], mapped.added])[np.argsort(joined, kind="stable")]

    @cached_property
    def usual_cosine(self) -> float:
        """See `vector_file.usual_cosine`; of the state that the file of the vectors is of, if there is one."""
        return usual_cosine(self._given) if self._mapped is None else self._mapped.usual_cosine

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.float16]:
        """Returns (len(ids), dim) the vector of each id, or zeros if it has none.

        Args:
            ids: in any order.
        """
        mapped = self._mapped
        if mapped is None:
            return _rows_of(ids, self.ids, self._given)
        if self._hnsw is None:
            found = _rows_of(ids, mapped.ids, mapped.rows)
        else:
            found = _rows_of(ids, mapped.ids, self._hnsw.matrix, mapped.slots)
        if len(mapped.changed):
            is_changed = np.isin(ids, mapped.changed)
            found[is_changed] = _rows_of(ids[is_changed], mapped.added_ids, mapped.added)
        return found

    def wide(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Returns what `of` returns, as float32."""
        return wide_rows(self.of(ids))

    def aligned(self, ids: NDArray[np.int64]) -> NDArray[np.float16]:
        """Returns (len(ids), dim) the vector of each id, or zeros if it has none.

        Args:
            ids: ids, ascending; must contain all ids of the index.
        """
        return self.vectors if len(self.ids) == len(ids) else self.of(ids)

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
        queries = self._checked(queries)
        if self._hnsw is not None:
            return self._by_hnsw(self._hnsw, queries, k)
        if len(self.ids) > WIDE_UP_TO:
            return self._in_parts(queries, k)
        rows, cosines = best_columns(self._scores(queries), k)
        return self._ids_of(rows), cosines

    def all_neighbours(self, k: int) -> Iterator[NeighbourBlock]:
        """Yields the k nearest other vectors of every vector, in blocks ascending by id."""
        hnsw = None
        if len(self.ids) > NEIGHBOURS_EXACT_UP_TO:
            hnsw = Hnsw(self.vectors.shape[1])
            for _ in hnsw.add(np.arange(len(self.ids)), self.vectors):
                pass
        for at in range(0, len(self.ids), BLOCK):
            own = np.arange(at, min(at + BLOCK, len(self.ids)))
            if hnsw is None:
                rows, cosines = best_columns(self._scores(self._wide[own]), k + 1)
            else:
                rows, cosines = self._nearest_rows(hnsw, self._wide[own], k + 1)
            rows, cosines = _without_self(own, rows, cosines)
            yield NeighbourBlock(self.ids[own], self._ids_of(rows), cosines)

    def _nearest_rows(
        self, hnsw: Hnsw, queries: NDArray[np.float32], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Returns row numbers (m, k) and cosines (m, k) in the order of `search`, from an index of row numbers."""
        candidates = np.sort(hnsw.candidates(queries, min(k + SPARE, len(self.ids))), axis=1)
        scores = np.matmul(self._wide[candidates], queries[:, :, None])[:, :, 0]
        columns, cosines = best_columns(np.where(candidates < 0, np.float32(-np.inf), scores), k)
        rows = np.take_along_axis(candidates, np.maximum(columns, 0), axis=1)
        return np.where(columns < 0, -1, rows), cosines

    def _by_hnsw(
        self, hnsw: Hnsw, queries: NDArray[np.float32], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Does what `search` does: candidates by an index of ids, and all vectors that changed since it was made."""
        ids, cosines = np.full((len(queries), k), -1, np.int64), np.full((len(queries), k), -1.0, np.float32)
        changed, added = (
            (np.empty(0, np.int64),) * 2 if self._mapped is None else (self._mapped.changed, self._mapped.added_ids)
        )
        for line, query in enumerate(queries):
            near = hnsw.candidates(query[None], min(max(PROPOSED, k + SPARE), len(hnsw)))[0]
            near = distinct(near[(near >= 0) & ~np.isin(near, changed)], added)
            scores = self.wide(near) @ query
            best = _best_of(scores, k)
            ids[line, : len(best)], cosines[line, : len(best)] = near[best], scores[best]
        return ids, cosines

    def _in_parts(self, queries: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Does what `search` does, for many vectors, without a copy of all of them."""
        found: list[tuple[NDArray[np.int64], NDArray[np.float32]]] = []
        for at in range(0, len(self.ids), AT_ONCE):
            part = wide_rows(self.vectors[at : at + AT_ONCE])
            columns, cosines = best_columns(np.ascontiguousarray((part @ queries.T).T), k)
            found.append((np.where(columns < 0, -1, columns + at), cosines))
        rows, cosines = (np.concatenate(column, axis=1) for column in zip(*found, strict=True))
        best, scores = best_columns(cosines, k)
        return self._ids_of(np.take_along_axis(rows, best, axis=1)), scores

    def _scores(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        # In this order, a single query is a matrix-vector product: 5.7 ms instead of 8.0 for 24,172 vectors.
        return np.ascontiguousarray((self._wide @ queries.T).T)

    def _ids_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(rows < 0, -1, self.ids[rows]) if len(self.ids) else rows

    def _checked(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        if len(self.ids) == 0:
            return np.empty((len(queries), 0), np.float32)
        if queries.ndim != 2 or queries.shape[1] != self._given.shape[1]:
            raise StoreError(
                f"The question's vector has shape {queries.shape}, those of the vault have {self._given.shape[1]} numbers. "
                "The vault was made with another embedding model: index again with this one: noderag index PATH."
            )
        return np.asarray(queries, np.float32)

    @cached_property
    def _wide(self) -> NDArray[np.float32]:
        return wide_rows(self.vectors)


def saved_hnsw(store: Store, dimension: int) -> Hnsw | None:
    """Returns the HNSW index of the sentences; None if there is none of the state that the other caches are of.

    Vectors that changed since (`change_log`) are in it as they were.

    Args:
        store: the vault.
        dimension: length of the vectors.
    """
    path = store.folder / HNSW_FILE
    found = Hnsw.saved(dimension, path, origin(store.stamp))
    since = None if found else logged_from(store)
    return Hnsw.saved(dimension, path, origin(since)) if since else found


def save_hnsw(store: Store, hnsw: Hnsw, written: Callable[[int, int], None]) -> NDArray[np.float16]:
    """Writes the HNSW index of the present vectors of all sentences; call it inside `Store.steady`. The rest as for `Hnsw.save`."""
    return hnsw.save(store.folder / HNSW_FILE, origin(store.stamp), written)


def is_indexed(store: Store, stamp: str) -> bool:
    """Returns whether the HNSW file is of the state with this stamp, without a look at its content."""
    return has_origin(store.folder / HNSW_FILE, HNSW_KIND, origin(stamp))


def _present(before: NDArray[np.integer], changed: NDArray[np.int64], added: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the ids that exist now, ascending."""
    if not len(changed):
        return before.astype(np.int64)
    return distinct(before[~np.isin(before, changed)], added).astype(np.int64)


def _rows_of(
    wanted: NDArray[np.int64],
    ids: NDArray[np.integer],
    rows: NDArray[np.float16],
    places: NDArray[np.integer] | None = None,
) -> NDArray[np.float16]:
    """Returns (len(wanted), dim) the row of each wanted id, or zeros; `places` has the row of each id, if they are in another order."""
    if not len(ids):
        return np.zeros((len(wanted), rows.shape[1]), np.float16)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    found = rows[at if places is None else places[at]]
    found[ids[at] != wanted] = 0
    return found


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
