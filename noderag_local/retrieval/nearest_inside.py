"""Search for the nearest vectors within a scope."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.storage.vectors.vector_index import SEARCH_EXACT_UP_TO, VectorIndex


def nearest_inside(
    index: VectorIndex, inside: NDArray[np.int64], vector: NDArray[np.float32], k: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Returns the nearest of some nodes, each compared with the query.

    Args:
        index: vectors of all nodes of the type.
        inside: (m,) ids of the nodes.
        vector: (dim,) of the question.
        k: most nodes to return.

    Returns:
        Ids (at most k,) and cosines (the same), nearest first, ties by id.
    """
    rows = np.flatnonzero(np.isin(index.ids, inside))
    if not len(rows):
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    if len(index.ids) <= SEARCH_EXACT_UP_TO:
        # Comparing all at once is faster than converting some of them to float32: 6 ms instead of 80 for 24,115.
        cosines = index.cosines(vector[None])[0][rows]
    else:
        cosines = index.wide(index.ids[rows]) @ vector
    best = top_rows(cosines, k)
    return index.ids[rows[best]], cosines[best]
