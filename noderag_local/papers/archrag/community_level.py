"""The communities of one level, and two measures of their quality (ArchRAG, section 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import unit_rows
from noderag_local.graph.algorithms.sparse import Rows

MOST_MEMBERS = 15
"""Maximum members of a community; a larger one is split (the paper's released code uses 10 to 15)."""
FEWEST_MEMBERS = 2
"""Minimum members of a community; the released code leaves single nodes on the level below."""
NEW = -1
"""Stands for the known community of a community that continues none."""
GONE = -1
"""Stands for the row of a member that is no longer there."""


@dataclass(frozen=True, slots=True)
class Level:
    """The c communities of one level."""

    members: tuple[Rows, ...]
    """(c,) ascending rows of the level below; on the first level, rows of the graph's nodes"""
    continues: Rows
    """(c,) row of the known community that each one continues: it has all of its members, and perhaps more; NEW for none"""


def membership(communities: Sequence[Rows], nodes: int) -> sp.csr_matrix:
    """Returns a (c, nodes) float32 matrix with 1 where a community contains a node."""
    rows = np.repeat(np.arange(len(communities)), [len(members) for members in communities])
    columns = np.concatenate([np.zeros(0, np.int64), *communities])
    return sp.csr_matrix((np.ones(len(columns), np.float32), (rows, columns)), shape=(len(communities), nodes))


@dataclass(frozen=True, slots=True)
class Quality:
    """Two measures of the quality of a set of communities; higher is better for both."""

    calinski_harabasz: float
    """Spread between communities divided by spread within, each per degree of freedom (equation 5)."""
    cosine: float
    """Mean cosine of the nodes to the centre of their own community (equation 6)."""


def quality(communities: Sequence[Rows], vectors: NDArray[np.float32]) -> Quality:
    """Returns the quality of communities; nodes outside all communities do not count.

    Args:
        communities: rows of the nodes of each community; no node is in two.
        vectors: (n, dim) vectors of all nodes.

    Raises:
        ValueError: there are fewer than two communities, or as many as nodes.
    """
    held = membership(communities, len(vectors))
    sizes = np.array([len(rows) for rows in communities], dtype=np.float64)
    nodes, count = int(sizes.sum()), len(communities)
    if not 2 <= count < nodes:
        raise ValueError(
            f"cannot rate {count} communities of {nodes} nodes: it takes at least two, and more nodes than communities"
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
