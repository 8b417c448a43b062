"""Personalised PageRank that stops after a few steps (NodeRAG, section 2.4, "shallow PPR")."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def shallow_pagerank(
    transition: sp.csr_matrix, teleport: NDArray[np.float32], restart: float, steps: int
) -> NDArray[np.float32]:
    """π ← αp + (1−α)Pᵀπ, a fixed number of times, from π = p.

    Args:
        transition: Pᵀ, (n, n) float32.
        teleport: p, (n,) float32, sums to 1.
        restart: α, the share of the mass that returns to the seeds in each step.
        steps: t; the mass reaches nodes up to so many edges away.

    Returns:
        (n,) float32.
    """
    if transition.shape != (len(teleport), len(teleport)):
        raise ValueError(f"transition is {transition.shape}, teleport has {len(teleport)} entries")
    mass = teleport
    for _ in range(steps):
        mass = restart * teleport + (1 - restart) * (transition @ mass)
    return np.asarray(mass, dtype=np.float32)
