"""The nearest neighbour graph of texts by the words that they share (KET-RAG, section 4.1)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.sparse import Edges

BLOCK_ROWS = 512


def most_shared_words(words: sp.csr_matrix, neighbours: int) -> Edges:
    """Each row's nearest other rows by the number of columns that both have; ties by row, none that share nothing.

    Args:
        words: (n, k), which text has which word; weights are ignored.
        neighbours: of each row.

    Returns:
        Edges from each row to its neighbours, weight the number of shared words.
    """
    binary = (words != 0).astype(np.float32).tocsr()
    turned = binary.T.tocsr()
    sources, targets, weights = [], [], []
    for start in range(0, binary.shape[0], BLOCK_ROWS):
        shared = (binary[start : start + BLOCK_ROWS] @ turned).toarray()
        rows = np.arange(len(shared))
        shared[rows, rows + start] = 0
        nearest = np.argsort(-shared, axis=1, kind="stable")[:, :neighbours]
        counts = np.take_along_axis(shared, nearest, axis=1)
        kept = counts > 0
        sources.append(np.repeat(rows + start, kept.sum(axis=1)))
        targets.append(nearest[kept])
        weights.append(counts[kept])
    return _joined(sources), _joined(targets), np.concatenate(weights or [np.zeros(0)]).astype(np.float32)


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(parts or [np.zeros(0, np.int64)]).astype(np.int64)
