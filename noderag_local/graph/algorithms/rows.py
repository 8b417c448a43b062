"""Picks, scales and compares rows of arrays: the largest scores, unit length, distinct pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def top_rows(scores: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """Returns the rows of the largest finite scores, largest first, ties by row; faster than sorting all of them.

    Args:
        scores: (n,)
        most: at most so many rows.
    """
    rows = np.flatnonzero(np.isfinite(scores))
    if len(rows) > most:
        least = np.partition(scores[rows], len(rows) - most)[len(rows) - most] if most else np.inf
        rows = rows[scores[rows] >= least]
    return np.asarray(rows[np.lexsort((rows, -scores[rows]))][:most], dtype=np.int64)


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns the rows, (n, dim), scaled to unit length; zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), dtype=np.float32)


def first_of_each(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the row at which each distinct pair stands first, (m,) int64, in the order of the pairs.

    Not by np.unique: that of rows keeps all other threads waiting, for a second with a million of them.

    Args:
        pairs: (n, 2) int64.
    """
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    ordered = pairs[order]
    is_first = np.ones(len(pairs), np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return np.asarray(order[is_first], np.int64)
