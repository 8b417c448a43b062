"""Finds the largest of many scores."""

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
