"""Approximate nearest-neighbour index by usearch, with a cache file.

The cache says of which state of the vault it is. usearch only reads files that are verified to be unchanged, since a damaged file
can crash the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.snapshots.cache_file import read_payload, write_payload

KIND = b"NRVEC004"
CONNECTIVITY = 24
EXPANSION_ADD = 128
EXPANSION_SEARCH = 128
"""Vectors of 40,000 made-up sentences of 384 numbers, which lie in many small groups and are harder than real ones:

| numbers | links | for adding | bytes a vector | nearest ten of a sentence | of a question, 128 asked for | 512 | time of making it |
| --- | --- | --- | --- | --- | --- | --- | --- |
| float16 | 24 | 128 | 980 | 0.93 | 0.985 | 0.994 | 1.2 |
| int8 | 32 | 128 | 660 | 0.92 | 0.981 | 0.991 | 1 |
| float16 | 16 | 128 | 916 | 0.91 | 0.94 | 0.985 | 1.1 |
| float16 | 16 | 64 | 916 | 0.88 | 0.92 | 0.95 | 0.6 |

With int8, the vectors lay in a file of float16 beside it, 776 bytes more a vector."""
_AT_ONCE = 512
"""Vectors that are added between two reports of progress; half a second in a large index."""
_SIZES = np.dtype("<u4")
NOTHING = -1
"""Stands for a vector that was not found."""


class Hnsw:
    """Approximate nearest vectors by their ids. The same changes in the same order make the same index."""

    def __init__(self, dimension: int) -> None:
        """Makes an empty index for vectors of `dimension` numbers."""
        self._index = _empty(dimension)
        self._payload: memoryview | None = None

    @classmethod
    def saved(cls, dimension: int, cache: Path, origin: bytes) -> Hnsw | None:
        """Returns the index of a file, of which only the parts that are searched are read; None if the file does not fit.

        Args:
            dimension: length of the vectors.
            cache: path of the file.
            origin: as for `read_payload`.
        """
        payload = read_payload(cache, KIND, origin)
        if payload is None:
            return None
        made = cls(dimension)
        made._index.view(payload)
        made._payload = payload
        return made

    def __len__(self) -> int:
        return len(self._index)

    @property
    def matrix(self) -> NDArray[np.float16]:
        """(m, dim) vectors in the order of the file of which this is a view, also some that were removed; empty if there is no file."""
        return _matrix_in(self._payload or b"", self._index.ndim)

    def save(
        self, cache: Path, origin: bytes, written: Callable[[int, int], None] = lambda _, __: None
    ) -> NDArray[np.float16]:
        """Writes the index, of which this is a view from now on, and returns `matrix`.

        Args:
            cache: as for `saved`.
            origin: as for `saved`.
            written: as for `write_payload`.
        """
        payload = self._index.save()
        is_written = write_payload(cache, KIND, origin, payload, written=written)
        self._payload = (read_payload(cache, KIND, origin) if is_written else None) or memoryview(payload)
        self._index = _empty(self._index.ndim)
        self._index.view(self._payload)
        return self.matrix

    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.floating]) -> Iterator[int]:
        """Adds vectors, in this order; yields now and then how many are added.

        Args:
            ids: (m,) none of them is in the index.
            vectors: (m, dim) unit rows.
        """
        self._load()
        for at in range(0, len(ids), _AT_ONCE):
            some = slice(at, at + _AT_ONCE)
            # One thread, because with more the same vectors give a different index each time.
            self._index.add(ids[some], vectors[some].astype(np.float32), threads=1)
            yield min(at + _AT_ONCE, len(ids))

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Removes vectors; unknown ids are ignored."""
        self._load()
        there = ids[self._index.contains(ids)] if len(ids) else ids
        if len(there):
            self._index.remove(there, threads=1)

    def candidates(self, queries: NDArray[np.float32], k: int, threads: int = 1) -> NDArray[np.int64]:
        """Returns the ids (m, k) of vectors near each query, nearest first; NOTHING where fewer are found.

        Args:
            queries: (m, dim) unit rows.
            k: number of vectors for each query.
            threads: how many queries are answered at the same time, which changes no answer; 0 for one a processor.
        """
        found = self._index.search(queries, k, threads=threads)
        keys = np.asarray(found.keys).astype(np.int64).reshape(len(queries), -1)
        counts = np.asarray(found.counts).reshape(-1) if len(queries) > 1 else np.array([len(found)])
        ids = np.full((len(queries), k), NOTHING, np.int64)
        ids[:, : keys.shape[1]] = np.where(np.arange(keys.shape[1]) < counts[:, None], keys, NOTHING)
        return ids

    def _load(self) -> None:
        """Reads the whole file of which this is a view, before it is changed."""
        if self._payload is not None:
            self._index = _empty(self._index.ndim)
            self._index.load(self._payload)
            self._payload = None


def cache_fits(cache: Path, origin: bytes) -> bool:
    """Returns whether the cache file is undamaged and of this origin."""
    return read_payload(cache, KIND, origin) is not None


def _matrix_in(payload: bytes | bytearray | memoryview, dimension: int) -> NDArray[np.float16]:
    """Returns the vectors with which a file of usearch begins: their number, the bytes of each, and the vectors.

    This order is usearch's own and may change; whoever uses it compares the vectors first (`vector_file`).
    """
    nothing = np.empty((0, dimension), np.float16)
    if len(payload) < _SIZES.itemsize * 2:
        return nothing
    rows, width = np.frombuffer(payload, _SIZES, 2).tolist()
    if width != nothing.itemsize * dimension or len(payload) < _SIZES.itemsize * 2 + rows * width:
        return nothing
    return np.frombuffer(payload, np.float16, rows * dimension, _SIZES.itemsize * 2).reshape(rows, dimension)


def _empty(dimension: int) -> Any:
    from usearch.index import Index

    return Index(
        ndim=dimension,
        # Of unit vectors the same as the cosine, and a third faster to make.
        metric="ip",
        dtype="f16",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )
