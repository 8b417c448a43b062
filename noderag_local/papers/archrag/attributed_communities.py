"""Finds the hierarchy of attributed communities, which are densely linked and similar in meaning (ArchRAG, 3.1.2, Algorithm 1).

In the paper, a language model summarises each community, and the embedding of the summary is used to cluster the next level.
Here a community's vector is the mean of its members' vectors, so the hierarchy depends on graph and vectors alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import unit_rows
from noderag_local.papers.archrag.attributed_edges import attributed_edges
from noderag_local.papers.archrag.clustering import leiden_communities, spectral_communities

MOST_MEMBERS = 15
"""Maximum members of a community; a larger one is split (the paper's released code uses 10 to 15)."""
FEWEST_MEMBERS = 2
"""Minimum members of a community; a single node stays on the level below, as in the released code."""
FEWEST_TO_CLUSTER = 5
"""Minimum number of communities on a level for another level above it."""
MOST_LEVELS = 4

Clustering = Literal["leiden", "spectral"]


@dataclass(frozen=True, slots=True)
class HierarchyOptions:
    """Options of the hierarchy; the defaults are the paper's, other values are its ablations (section 4.3, table 5)."""

    clustering: Clustering = "leiden"
    augment: bool = True
    """Whether similar nodes without a link are connected before clustering."""
    levels: int = MOST_LEVELS
    """Maximum number of levels; 1 gives a single layer."""


ARCHRAG = HierarchyOptions()
"""The paper's options."""


@dataclass(frozen=True, slots=True)
class Level:
    """The c communities of one level, ordered by their first members."""

    members: tuple[NDArray[np.int64], ...]
    """(c,) ascending rows of the level below; on the first level, rows of the graph's nodes"""


def hierarchy(
    adjacency: sp.csr_matrix, vectors: NDArray[np.float32], options: HierarchyOptions = ARCHRAG
) -> tuple[Level, ...]:
    """Returns the levels of communities from the bottom up; none if no two nodes are linked.

    The result depends on the order of the nodes, so callers order them by key.

    Args:
        adjacency: (n, n) symmetric; positive where two nodes are linked. Nodes without links are in no community.
        vectors: (n, dim) unit rows; a row of zeros for a node without text.
        options: options of the hierarchy.
    """
    found: list[list[NDArray[np.int64]]] = []
    linked, own = adjacency.tocsr(), vectors
    while len(found) < options.levels and (not found or len(own) >= FEWEST_TO_CLUSTER):
        communities = _communities(linked, own, options)
        if not communities:
            break
        found.append(communities)
        # Edges added by augmentation are not passed on to the next level, as in the released code.
        held = membership(communities, len(own))
        linked, own = (held @ linked @ held.T).tocsr(), unit_rows(held @ own)
    return tuple(Level(tuple(communities)) for communities in found)


def membership(communities: Sequence[NDArray[np.int64]], nodes: int) -> sp.csr_matrix:
    """Returns a (c, nodes) float32 matrix with 1 where a community contains a node."""
    rows = np.repeat(np.arange(len(communities)), [len(members) for members in communities])
    columns = np.concatenate([np.zeros(0, np.int64), *communities])
    return sp.csr_matrix((np.ones(len(columns), np.float32), (rows, columns)), shape=(len(communities), nodes))


def _communities(
    linked: sp.csr_matrix, vectors: NDArray[np.float32], options: HierarchyOptions
) -> list[NDArray[np.int64]]:
    """Runs one round of Algorithm 1: augmentation, weighting, clustering."""
    nodes = len(vectors)
    sources, targets, weights = attributed_edges(linked, vectors, augment=options.augment)
    clustered = spectral_communities if options.clustering == "spectral" else leiden_communities
    parts = clustered(nodes, sources, targets, weights, MOST_MEMBERS)
    return [rows for rows in parts if len(rows) >= FEWEST_MEMBERS]


@dataclass(frozen=True, slots=True)
class Quality:
    """Two measures of the quality of a set of communities; higher is better for both."""

    calinski_harabasz: float
    """Spread between communities divided by spread within, each per degree of freedom (equation 5)."""
    cosine: float
    """Mean cosine of the nodes to the centre of their own community (equation 6)."""


def quality(communities: Sequence[NDArray[np.int64]], vectors: NDArray[np.float32]) -> Quality:
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
