"""Builds the edges that attributed communities are found from: links and near neighbours, weighted by cosine (ArchRAG, 3.1.2)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.sparse import Edges
from noderag_local.storage.database.distinct import distinct

NEAR_PERCENTILE = 70
"""Percentile of the linked nodes' cosines; unlinked nodes must be more similar than that to be connected (released code)."""
ONE_AND_THE_SAME = 0.999
"""Cosine above which two nodes count as having the same vector, because they are always named together: a quarter of all links.
These links say nothing about similarity and are left out of the percentile; with them, 52 pairs of 37,000 nodes would pass."""
LEAST_WEIGHT = 0.01
"""Weight of a link between dissimilar nodes; Leiden does not accept weights below 0.

The paper prints 1 − cos, which would bind dissimilar nodes; its code uses the cosine, as here."""
DIGITS = 4
"""Digits to which cosines are rounded; further digits depend on the order in which a vector was added up."""
BLOCK_ROWS = 512


def attributed_edges(linked: sp.csr_matrix, vectors: NDArray[np.float32], *, augment: bool) -> Edges:
    """Returns the edges to cluster, each undirected edge once, sorted by its lower row, then its higher one.

    Args:
        linked: (n, n) symmetric, positive where two nodes are linked; the diagonal is ignored.
        vectors: (n, dim) unit rows.
        augment: whether to connect each linked node with its nearest linked nodes, as many as nodes have links on average, if
            they are nearer than NEAR_PERCENTILE percent of the links. Of nodes with equal vectors, only the first is connected.

    Returns:
        Edges between rows; the weight is the cosine, but at least LEAST_WEIGHT.
    """
    sources, targets = sp.triu(linked > 0, k=1).tocoo().coords
    sources, targets = sources.astype(np.int64), targets.astype(np.int64)
    weights = _cosines(vectors, sources, targets)
    if augment and len(weights):
        lower, higher, cosines = _near_pairs(linked, vectors, weights)
        sources, targets = np.concatenate([sources, lower]), np.concatenate([targets, higher])
        weights = np.concatenate([weights, cosines])
    order = np.lexsort((targets, sources))
    return sources[order], targets[order], np.maximum(weights[order], np.float32(LEAST_WEIGHT))


def _cosines(
    vectors: NDArray[np.float32], sources: NDArray[np.int64], targets: NDArray[np.int64]
) -> NDArray[np.float32]:
    blocks = [
        np.einsum("ij,ij->i", vectors[sources[at : at + (1 << 15)]], vectors[targets[at : at + (1 << 15)]])
        for at in range(0, len(sources), 1 << 15)
    ]
    return np.round(np.concatenate([np.zeros(0, np.float32), *blocks]), DIGITS).astype(np.float32)


def _near_pairs(linked: sp.csr_matrix, vectors: NDArray[np.float32], weights: NDArray[np.float32]) -> Edges:
    """Returns edges between similar nodes without a link, each once."""
    telling = weights[weights < ONE_AND_THE_SAME]
    if not len(telling):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
    degrees = np.diff(linked.indptr)
    rows = np.flatnonzero(degrees > 0)
    most = round(float(degrees[rows].mean()))
    rows = rows[_first_of_each(np.round(vectors[rows], DIGITS))]
    lower, higher, cosines = _pairs_over(vectors[rows], float(np.percentile(telling, NEAR_PERCENTILE)))
    lower, higher = rows[lower], rows[higher]
    known = linked.tocoo()
    nodes = len(vectors)
    is_new = ~np.isin(lower * nodes + higher, known.row.astype(np.int64) * nodes + known.col)
    return _nearest_of_each(lower[is_new], higher[is_new], cosines[is_new], most)


def _first_of_each(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns the first row of each distinct vector, ascending."""
    whole = np.ascontiguousarray(vectors).view(np.dtype((np.void, vectors.dtype.itemsize * vectors.shape[1])))
    return np.sort(np.unique(whole.ravel(), return_index=True)[1])


def _pairs_over(vectors: NDArray[np.float32], least: float) -> Edges:
    """Returns every pair of rows with a cosine above `least`, once, the lower row first."""
    lower, higher, cosines = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
    for start in range(0, len(vectors), BLOCK_ROWS):
        near = vectors[start : start + BLOCK_ROWS] @ vectors[start:].T
        lines, columns = np.nonzero(near > np.float32(least))
        above = columns > lines
        lower.append(lines[above] + start)
        higher.append(columns[above] + start)
        cosines.append(np.round(near[lines[above], columns[above]], DIGITS))
    return np.concatenate(lower), np.concatenate(higher), np.concatenate(cosines)


def _nearest_of_each(
    lower: NDArray[np.int64], higher: NDArray[np.int64], cosines: NDArray[np.float32], most: int
) -> Edges:
    """Keeps the pairs that are among the `most` nearest of one of their ends; ties by row."""
    ends, others = np.concatenate([lower, higher]), np.concatenate([higher, lower])
    pair = np.tile(np.arange(len(lower)), 2)
    order = np.lexsort((others, -np.tile(cosines, 2), ends))
    place = np.arange(len(order)) - np.searchsorted(ends[order], ends[order])
    kept = distinct(pair[order[place < most]])
    return lower[kept], higher[kept], cosines[kept]
