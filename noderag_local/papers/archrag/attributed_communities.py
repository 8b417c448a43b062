"""Finds the hierarchy of attributed communities, which are dense in links and near in meaning (ArchRAG, section 3.1.2, Algorithm 1).

The paper asks a language model for the summary of each community before it clusters the level above, and embeds it. Here a
community's vector is the mean of its members', so the whole hierarchy is a function of graph and vectors alone.
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
"""Most members of a community; a larger one is split (the maximal cluster size of the paper's released code is 10 to 15)."""
FEWEST_MEMBERS = 2
"""Fewest members of a community; a single node stays on the level below, as in the released code."""
FEWEST_TO_CLUSTER = 5
"""Fewest communities of a level that are clustered into a further one."""
MOST_LEVELS = 4

Clustering = Literal["leiden", "spectral"]


@dataclass(frozen=True, slots=True)
class HierarchyOptions:
    """Options of the hierarchy; the defaults are the paper's, the others are its ablations (section 4.3, table 5)."""

    clustering: Clustering = "leiden"
    augment: bool = True
    """Whether near nodes are joined that no link joins."""
    levels: int = MOST_LEVELS
    """Most levels; 1 gives a single layer."""


ARCHRAG = HierarchyOptions()
"""Options of the paper."""


@dataclass(frozen=True, slots=True)
class Level:
    """The communities of one level, in the order of their first members; c of them."""

    members: tuple[NDArray[np.int64], ...]
    """(c,) rows of the level below, ascending; those of the first level are rows of the graph's nodes"""


def hierarchy(
    adjacency: sp.csr_matrix, vectors: NDArray[np.float32], options: HierarchyOptions = ARCHRAG
) -> tuple[Level, ...]:
    """Finds the levels, from the bottom up; none where no two nodes are linked.

    The same numbering of the nodes gives the same communities, so it should follow from their keys.

    Args:
        adjacency: (n, n) symmetric; over 0 where two nodes are linked. Nodes without links are in no community.
        vectors: (n, dim) unit rows, or zeros where nothing is known of a node.
        options: how it is made.
    """
    found: list[list[NDArray[np.int64]]] = []
    linked, own = adjacency.tocsr(), vectors
    while len(found) < options.levels and (not found or len(own) >= FEWEST_TO_CLUSTER):
        communities = _communities(linked, own, options)
        if not communities:
            break
        found.append(communities)
        # Edges that augmentation has added are not taken upwards, as in the released code.
        held = membership(communities, len(own))
        linked, own = (held @ linked @ held.T).tocsr(), unit_rows(held @ own)
    return tuple(Level(tuple(communities)) for communities in found)


def membership(communities: Sequence[NDArray[np.int64]], nodes: int) -> sp.csr_matrix:
    """Returns a (c, nodes) float32 matrix with ones where a community holds a node."""
    rows = np.repeat(np.arange(len(communities)), [len(members) for members in communities])
    columns = np.concatenate([np.zeros(0, np.int64), *communities])
    return sp.csr_matrix((np.ones(len(columns), np.float32), (rows, columns)), shape=(len(communities), nodes))


def _communities(
    linked: sp.csr_matrix, vectors: NDArray[np.float32], options: HierarchyOptions
) -> list[NDArray[np.int64]]:
    """Runs one turn of Algorithm 1: augmentation, weights, clusters."""
    nodes = len(vectors)
    sources, targets, weights = attributed_edges(linked, vectors, augment=options.augment)
    clustered = spectral_communities if options.clustering == "spectral" else leiden_communities
    parts = clustered(nodes, sources, targets, weights, MOST_MEMBERS)
    return [rows for rows in parts if len(rows) >= FEWEST_MEMBERS]


@dataclass(frozen=True, slots=True)
class Quality:
    """Two figures of how good a set of communities is; for both, more is better."""

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
