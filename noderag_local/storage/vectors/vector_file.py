"""Keeps the vectors of chunks and sentences in files from which a search reads only the vectors that it compares.

The vectors of many sentences lie in their HNSW index (`vector_index`), which is such a file, too; that of the sentences then has
only their ids.

A file is a cache of one state of the vault, as the snapshot is, and is used with the vectors that changed since. Small vaults
have none, as their rows are read in a moment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.columns import integers
from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.array_file import narrowed, read_arrays, write_arrays
from noderag_local.storage.snapshots.cache_file import has_origin
from noderag_local.storage.snapshots.change_log import LEAST_SENTENCES, logged_from
from noderag_local.storage.snapshots.snapshot import origin
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.system.disk.on_disk import wipe

FILES = {NodeType.SENTENCE: "sentences.arrays", NodeType.TEXT: "chunks.arrays"}
"""File names by type of node."""
KIND = b"NRROW003"
FEWEST = LEAST_SENTENCES // 4
"""Vectors for which a file is made. Reading so many rows takes 10 ms."""
_CHANGED = {
    NodeType.SENTENCE: "SELECT count(*) FROM _changed_vectors m CROSS JOIN sentences s ON s.id = m.id",
    NodeType.TEXT: "SELECT count(*) FROM _changed_vectors m CROSS JOIN chunks c ON c.id = m.id",
}
"""Query for the number of vectors of a type that were added or changed."""
MOST_CHANGED = 0.5
"""Changed vectors, as a share of those in the file, up to which it is used. Changed ones are in memory twice while they are read."""
_AT_ONCE = 4096
"""Rows that are compared with those of the HNSW index at a time."""
USUAL_FROM = 20_000
"""Most vectors that the usual cosine is taken from."""


@dataclass(frozen=True, slots=True)
class MappedVectors:
    """Vectors of an earlier state, and those that changed since."""

    ids: NDArray[np.integer]
    """(n,) ascending"""
    rows: NDArray[np.float16]
    """(n, dim); (0, dim) where the file of the HNSW index holds them"""
    slots: NDArray[np.integer]
    """(n,) row of each vector in `Hnsw.matrix`; (0,) where `rows` has them"""
    usual_cosine: float
    """see `usual_cosine`"""
    stamp: str
    """state of the vault that they are of; `slots` are those of the HNSW index of the same state"""
    changed: NDArray[np.int64]
    """(c,) ids, ascending, of vectors that were added, changed or removed"""
    added_ids: NDArray[np.int64]
    """(a,) those of them that exist now"""
    added: NDArray[np.float16]
    """(a, dim)"""


def read_mapped(store: Store, kind: NodeType) -> MappedVectors | None:
    """Returns the vectors of a type in FILES; None if there is no file that can be used, or most of them have changed since."""
    if kind not in FILES:
        return None
    path = store.folder / FILES[kind]
    with store.steady():
        stamp, changed = store.stamp, np.empty(0, np.int64)
        arrays = read_arrays(path, KIND, origin(stamp))
        if arrays is None:
            stamp = logged_from(store) or ""
            arrays = read_arrays(path, KIND, origin(stamp)) if stamp else None
            changed = integers(store.rows("SELECT id FROM _changed_vectors ORDER BY id")) if arrays else changed
        if arrays is None or (len(changed) and store.value(_CHANGED[kind]) > MOST_CHANGED * len(arrays["ids"])):
            return None
        added_ids, added = VectorRows(store).of_type_among(kind, changed.tolist())
    rows = arrays["rows"]
    return MappedVectors(
        arrays["ids"],
        rows,
        arrays["slots"],
        float(arrays["usual"][0]),
        stamp,
        changed,
        added_ids,
        added.reshape(len(added_ids), rows.shape[1]),
    )


def is_mapped(store: Store, kind: NodeType, stamp: str) -> bool:
    """Returns whether the file is of the state with this stamp, without a look at its content, or the vectors are few."""
    path = store.folder / FILES[kind]
    return has_origin(path, KIND, origin(stamp)) or VectorRows(store).count_of(kind) < FEWEST


def save_mapped(
    store: Store,
    kind: NodeType,
    ids: NDArray[np.int64],
    rows: NDArray[np.float16],
    in_hnsw: NDArray[np.float16] | None = None,
) -> None:
    """Writes the file of the present state, or removes it if the vectors are few; call it inside `Store.steady`.

    Args:
        store: the vault.
        kind: a type in FILES.
        ids: (n,) ascending.
        rows: (n, dim)
        in_hnsw: (m, dim) vectors in the file of the HNSW index of the same state. If all rows are among them, this file does
            without them.
    """
    if len(ids) < FEWEST:
        with told_plainly(store.folder):
            wipe(store.folder / FILES[kind])
    else:
        usual = np.array([usual_cosine(rows)])
        slots = np.empty(0, np.int64) if in_hnsw is None else _slots(rows, in_hnsw)
        arrays = {
            "ids": narrowed(ids),
            "rows": rows[:0] if len(slots) else rows,
            "slots": narrowed(slots),
            "usual": usual,
        }
        write_arrays(store.folder / FILES[kind], KIND, origin(store.stamp), arrays)


def _slots(rows: NDArray[np.float16], matrix: NDArray[np.float16]) -> NDArray[np.int64]:
    """Returns (n,) an equal row of a matrix for each row; (0,) if one has none.

    Args:
        rows: (n, dim)
        matrix: (m, dim)
    """
    if not len(matrix):
        return np.empty(0, np.int64)
    wanted, there = _hashes(rows), _hashes(matrix)
    order = np.argsort(there, kind="stable")
    at = np.minimum(np.searchsorted(there[order], wanted), len(order) - 1)
    slots = order[at]
    for first in range(0, len(rows), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        if not np.array_equal(rows[some], matrix[slots[some]]):
            return np.empty(0, np.int64)
    return slots


def _hashes(rows: NDArray[np.float16]) -> NDArray[np.uint64]:
    """Returns (n,) a number for each row, the same for equal rows."""
    factors = np.random.default_rng(0).integers(1 << 63, size=rows.shape[1], dtype=np.uint64)
    blocks = [
        np.ascontiguousarray(rows[at : at + _AT_ONCE]).view(np.uint16).astype(np.uint64) @ factors
        for at in range(0, len(rows), _AT_ONCE)
    ]
    return np.concatenate([np.empty(0, np.uint64), *blocks])


def usual_cosine(rows: NDArray[np.float16]) -> float:
    """Returns the mean cosine of any two of the vectors, from 0 to below 1: what unrelated texts have under this model.

    Some models give any two texts a cosine of 0.8, others of 0.1.

    Args:
        rows: (n, dim)
    """
    some = rows[:: 1 + len(rows) // USUAL_FROM]
    # The mean of the cosines of all pairs is the squared length of the mean vector.
    return min(float(np.square(some.mean(axis=0, dtype=np.float32)).sum()), 0.99) if len(some) else 0.0
