"""Makes sparse matrices from lists of edges."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Weights = NDArray[np.float32]
Edges = tuple[Rows, Rows, Weights]
"""(row of one end, row of the other end, weight), three arrays of one length."""

FEW_ENTRIES = 0.1
"""Share of a matrix's entries up to which it is faster to pick them than to read all."""
FEW_COLUMNS = 1 / 16
"""Picked entries, as a share of the columns, up to which sums are made for their columns alone."""


def between(edges: Edges, sources: Rows, targets: Rows) -> Edges:
    """Returns the edges whose two ends are in the given ids, with row numbers instead of ids.

    Args:
        edges: edges between node ids.
        sources: (n,) ascending ids of the nodes that edges start from; their positions become the rows.
        targets: (k,) ascending ids of the nodes that edges lead to; their positions become the rows.
    """
    source, target, weight = edges
    known = np.isin(source, sources) & np.isin(target, targets)
    return np.searchsorted(sources, source[known]), np.searchsorted(targets, target[known]), weight[known]


def incidence(rows: Rows, columns: Rows, weights: NDArray[np.floating], shape: tuple[int, int]) -> sp.csr_matrix:
    """Returns the float32 matrix of the weights of edges between two types of nodes; repeated edges are added up."""
    return sp.csr_matrix((weights.astype(np.float32), (rows, columns)), shape=shape)


def symmetric(edges: Iterable[Edges], nodes: int) -> sp.csr_matrix:
    """Returns the symmetric adjacency matrix, (nodes, nodes) float32; repeated edges are added up.

    Args:
        edges: each undirected edge once, between rows of one numbering of all nodes.
        nodes: number of nodes.
    """
    lists = list(edges)
    sources = np.concatenate([rows for rows, _, _ in lists] or [np.zeros(0, np.int64)])
    targets = np.concatenate([columns for _, columns, _ in lists] or [np.zeros(0, np.int64)])
    weights = np.concatenate([weight for _, _, weight in lists] or [np.zeros(0, np.float32)])
    one_way = incidence(sources, targets, weights, (nodes, nodes))
    return (one_way + one_way.T).tocsr()


def transition(adjacency: sp.csr_matrix) -> sp.csr_matrix:
    """Returns Pᵀ of the random walk over an adjacency matrix: column u holds the probabilities of each step from node u.

    The column of a node without edges is zero.
    """
    degree = np.asarray(adjacency.sum(axis=0)).ravel()
    inverse = np.divide(1, degree, out=np.zeros_like(degree), where=degree > 0)
    return (adjacency @ sp.diags(inverse.astype(np.float32))).tocsr()


def spread_rows(matrix: sp.csr_matrix, transposed: sp.csr_matrix, mass: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns the product of a matrix's transpose and a vector, (columns,); reads only rows with mass, if these are few.

    Args:
        matrix: (rows, columns)
        transposed: (columns, rows) the same matrix the other way round. A product reads it in order, which is faster than to
            add to all columns in turn.
        mass: (rows,)
    """
    # A mask first: looking for what is not 0 is several times faster in one of Booleans.
    rows = np.flatnonzero(mass != 0)
    starts = matrix.indptr[rows]
    lengths = matrix.indptr[rows + 1] - starts
    entries = int(lengths.sum(dtype=np.int64))
    if entries > FEW_ENTRIES * matrix.nnz:
        return np.asarray(transposed @ mass, np.float32)
    before = np.cumsum(lengths, dtype=np.int64) - lengths
    places = np.arange(entries) + np.repeat(starts - before, lengths)
    weights = matrix.data[places] * np.repeat(mass[rows], lengths)
    return sums_of(matrix.indices[places], weights, matrix.shape[1])


def sums_of(groups: NDArray[np.integer], weights: Weights, size: int) -> Weights:
    """Returns the sum of the weights of each group, (size,).

    Args:
        groups: (m,) number of the group of each weight, below `size`.
        weights: (m,) float32
        size: number of groups.
    """
    if len(groups) > FEW_COLUMNS * size:
        return np.bincount(groups, weights, minlength=size).astype(np.float32)
    # The same sums without as many zeros as there are groups in 64 bits.
    there, place = np.unique(groups, return_inverse=True)
    sums = np.zeros(size, np.float32)
    sums[there] = np.bincount(place, weights, minlength=len(there))
    return sums
