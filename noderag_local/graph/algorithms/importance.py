"""Finds the important nodes of a graph (NodeRAG, Algorithm 1): those with many edges or on many shortest paths."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.sparse import Rows

PIVOTS = 10
"""Number of nodes from which shortest paths are counted (k = 10 in the paper)."""


def degrees(nodes: int, sources: Rows, targets: Rows) -> NDArray[np.int64]:
    """Returns the number of edges of each node, (nodes,).

    Args:
        nodes: how many there are.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
    """
    return np.bincount(sources, minlength=nodes) + np.bincount(targets, minlength=nodes)


def degree_threshold(degree: NDArray[np.int64]) -> int:
    """Returns the minimum degree of a core node: ⌊ln|V| · √(mean degree)⌋.

    The paper says "K-core" but describes a filter by degree, which is what this threshold is for. The paper's released code
    computes a real K-core and fails on any that is not empty.

    Args:
        degree: (n,) degree of each node.
    """
    return math.floor(math.log(len(degree)) * math.sqrt(degree.mean())) if len(degree) else 0


def pivot_betweenness(nodes: int, sources: Rows, targets: Rows, pivots: Rows) -> NDArray[np.float64]:
    """Returns the betweenness of each node, (nodes,), over shortest paths from the pivots (Brandes 2001, unweighted).

    Args:
        nodes: how many there are.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        pivots: where the paths start; all nodes for the exact betweenness.
    """
    import igraph

    graph = igraph.Graph(n=nodes, edges=np.stack([sources, targets], axis=1).tolist(), directed=False)
    return np.asarray(graph.betweenness(directed=False, sources=pivots.tolist()), dtype=np.float64)


def betweenness_threshold(betweenness: NDArray[np.float64]) -> float:
    """Returns the betweenness above which a node counts as important: the mean times ⌊log₁₀|V|⌋.

    Args:
        betweenness: (n,) betweenness of each node.
    """
    return float(betweenness.mean()) * math.floor(math.log10(len(betweenness))) if len(betweenness) else 0.0


def importance(nodes: int, sources: Rows, targets: Rows, seed: int = 0) -> NDArray[np.float64]:
    """Returns the importance of each node, (nodes,): the larger ratio of its degree or betweenness to the threshold.

    It is 0 for a node that reaches neither threshold. The result depends on the order of the rows and on the seed, so
    callers number the nodes in the order of their keys.

    Args:
        nodes: how many there are.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        seed: random seed for the choice of pivots.
    """
    if not nodes or not len(sources):
        return np.zeros(nodes)
    degree = degrees(nodes, sources, targets)
    pivots = np.sort(np.random.default_rng(seed).choice(nodes, min(PIVOTS, nodes), replace=False))
    between = pivot_betweenness(nodes, sources, targets, pivots)
    by_degree = degree / max(degree_threshold(degree), 1)
    limit = betweenness_threshold(between)
    by_paths = between / limit if limit > 0 else np.zeros(nodes)
    passed = (by_degree >= 1) | (by_paths > 1)
    return np.where(passed, np.maximum(by_degree, by_paths), 0.0)
