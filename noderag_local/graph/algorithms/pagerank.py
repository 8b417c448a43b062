"""Computes PageRank: shallow and personalised (NodeRAG, section 2.5, "shallow PPR"), and of a whole graph (KET-RAG, section 5.1, equation 1)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def shallow_pagerank(
    spread: Callable[[NDArray[np.float32]], NDArray[np.float32]],
    start: NDArray[np.float32],
    teleport: float,
    steps: int,
) -> NDArray[np.float32]:
    """Returns shallow personalised PageRank: π ← αp + (1−α)Pᵀπ, a fixed number of times, from π = p.

    Args:
        spread: returns Pᵀπ for a π, (n,) float32.
        start: p, (n,) float32, where the walk starts; sums to 1.
        teleport: α, the share of the mass that returns to `start` in each step.
        steps: t; the mass reaches nodes up to so many edges away.

    Returns:
        (n,) float32.
    """
    mass, returned = start, (teleport * start).astype(np.float32)
    for _ in range(steps):
        mass = np.multiply(spread(mass), 1 - teleport, dtype=np.float32)
        mass += returned
    return np.asarray(mass, dtype=np.float32)


def pagerank(
    transition: sp.csr_matrix, teleport: float = 0.15, tolerance: float = 1e-8, most_steps: int = 200
) -> NDArray[np.float64]:
    """Returns the rank of every node of a whole graph (Page et al. 1999), by power iteration.

    Args:
        transition: Pᵀ, (n, n); the mass of nodes without edges goes to all alike.
        teleport: α, the share of the mass that goes to all nodes alike in each step; the paper's damping factor is 1 − α.
        tolerance: the iteration ends when the ranks together change by less.
        most_steps: most steps of the iteration.

    Returns:
        (n,) float64, sums to 1; empty for an empty graph.
    """
    n = transition.shape[0]
    if not n:
        return np.zeros(0)
    stuck = np.asarray(transition.sum(axis=0)).ravel() == 0
    rank = np.full(n, 1 / n)
    for _ in range(most_steps):
        spread = (1 - teleport) * (transition @ rank + rank[stuck].sum() / n) + teleport / n
        moved = float(np.abs(spread - rank).sum())
        rank = spread
        if moved < tolerance:
            break
    return rank
