"""Finds the nodes that hold a graph together (NodeRAG, Algorithm 1): many edges, or on many shortest paths."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.sparse import Rows

PIVOTS = 10
"""Nodes that shortest paths are counted from (k = 10 in the paper)."""


def degrees(nodes: int, sources: Rows, targets: Rows) -> NDArray[np.int64]:
    """Returns the number of edges of each node, (nodes,).

    Args:
        nodes: how many there are.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
    """
    return np.bincount(sources, minlength=nodes) + np.bincount(targets, minlength=nodes)


def degree_threshold(degree: NDArray[np.int64]) -> int:
    """Returns the fewest edges of a node that counts as part of the core: ⌊ln|V| · √(mean degree)⌋.

    The paper calls it a K-core and filters by degree; its released code calls a K-core and stops with an error on any that
    is not empty. This is the filter.

    Args:
        degree: (n,)
    """
    return math.floor(math.log(len(degree)) * math.sqrt(degree.mean())) if len(degree) else 0


def pivot_betweenness(nodes: int, sources: Rows, targets: Rows, pivots: Rows) -> NDArray[np.float64]:
    """Counts the shortest paths from the pivots that lead over each node, (nodes,); Brandes 2001, unweighted.

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
    """Returns the betweenness that a bridge exceeds: the mean times ⌊log₁₀|V|⌋.

    Args:
        betweenness: (n,)
    """
    return float(betweenness.mean()) * math.floor(math.log10(len(betweenness))) if len(betweenness) else 0.0


def importance(nodes: int, sources: Rows, targets: Rows, seed: int = 0) -> NDArray[np.float64]:
    """Returns how important each node is, (nodes,): 0 where it passes neither filter, else the larger of its two ratios.

    A ratio says how many times a node has what its filter asks for, so that both can be ranked together. The same
    numbering of the nodes and the same seed give the same result; numbers should therefore follow from the nodes' keys.

    Args:
        nodes: how many there are.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        seed: of the choice of pivots.
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
