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

IDS_A_ROW = 8
"""A table of all ids is made if it has at most so many places for each id that is known or looked for."""
FEW_ENTRIES = 0.4
"""Share of a matrix's entries up to which it is faster to copy their rows than to read all."""


def between(edges: Edges, sources: Rows, targets: Rows) -> Edges:
    """Returns the edges whose two ends are in the given ids, with row numbers instead of ids.

    Args:
        edges: edges between node ids.
        sources: (n,) ascending ids of the nodes that edges start from; their positions become the rows.
        targets: (k,) ascending ids of the nodes that edges lead to; their positions become the rows.
    """
    source, target, weight = edges
    rows, columns = rows_of(source, sources), rows_of(target, targets)
    known = (rows >= 0) & (columns >= 0)
    return rows[known], columns[known], weight[known]


def rows_of(wanted: Rows, ids: Rows) -> Rows:
    """Returns (m,) the row of each wanted id, −1 where there is none.

    Args:
        wanted: (m,) ids, in any order.
        ids: (n,) ascending, not negative.
    """
    if not len(ids) or not len(wanted):
        return np.full(len(wanted), -1)
    if ids[-1] < IDS_A_ROW * (len(wanted) + len(ids)):
        # A table is read many times faster than the ids are searched.
        table = np.full(int(ids[-1]) + 2, -1)
        table[ids] = np.arange(len(ids))
        return np.asarray(table[np.minimum(wanted, len(table) - 1)])
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at, -1)


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


def spread_rows(matrix: sp.csr_matrix, transposed: sp.csr_matrix, rows: Rows, mass: Weights) -> Weights:
    """Returns the product of a matrix's transpose and a vector, (columns,); reads only rows with mass, if these are few.

    Args:
        matrix: (rows, columns)
        transposed: (columns, rows) the same matrix the other way round. A product reads it in order, which is faster than to
            add to all columns in turn.
        rows: (m,) rows with mass, ascending; the vector is 0 in all others.
        mass: (m,) their mass.
    """
    entries = int((matrix.indptr[rows + 1] - matrix.indptr[rows]).sum(dtype=np.int64))
    if entries <= FEW_ENTRIES * matrix.nnz:
        return np.asarray(matrix[rows].T @ mass, np.float32)
    vector = np.zeros(matrix.shape[0], np.float32)
    vector[rows] = mass
    return np.asarray(transposed @ vector, np.float32)
