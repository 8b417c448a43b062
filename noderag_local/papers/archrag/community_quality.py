"""Measures how good communities are by their vectors: far from each other, close within (ArchRAG, section 4.3 and appendix B)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.unit_rows import unit_rows
from noderag_local.papers.archrag.attributed_communities import membership


@dataclass(frozen=True, slots=True)
class Quality:
    """Two figures of a set of communities; of either, more is better."""

    calinski_harabasz: float
    """Spread between the communities over spread within, each by its degrees of freedom (equation 5)."""
    cosine: float
    """Mean cosine of the nodes with the centre of their own community (equation 6)."""


def quality(communities: Sequence[NDArray[np.int64]], vectors: NDArray[np.float32]) -> Quality:
    """Returns the quality of communities; nodes that are in none do not count.

    Args:
        communities: rows of the nodes of each; no node is in two.
        vectors: (n, dim) of all nodes.

    Raises:
        ValueError: there are fewer than two communities, or as many as nodes.
    """
    held = membership(communities, len(vectors))
    sizes = np.array([len(rows) for rows in communities], dtype=np.float64)
    nodes, count = int(sizes.sum()), len(communities)
    if not 2 <= count < nodes:
        raise ValueError(
            f"{count} communities of {nodes} nodes have no spread to compare; it takes two, and more nodes"
        )
    rows = np.concatenate(list(communities))
    own = vectors[rows].astype(np.float64)
    of_node = np.repeat(np.arange(count), sizes.astype(np.int64))
    centres = np.asarray(held @ vectors.astype(np.float64)) / sizes[:, None]
    between = float((sizes * ((centres - own.mean(axis=0)) ** 2).sum(axis=1)).sum())
    within = float(((own - centres[of_node]) ** 2).sum())
    spread = (between / (count - 1)) / (within / (nodes - count)) if within > 0 else float("inf")
    cosines = (unit_rows(vectors[rows]) * unit_rows(centres.astype(np.float32))[of_node]).sum(axis=1)
    return Quality(spread, float(cosines.mean()))
