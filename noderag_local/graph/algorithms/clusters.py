"""Clusters nodes by Leiden (Traag et al. 2019) into communities of bounded size, and vectors by k-means (MacQueen 1967)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.sparse import Rows, Weights

FINEST = 64.0
"""Highest resolution that is tried; a community that it does not split stays as it is."""


def leiden(nodes: int, sources: Rows, targets: Rows, weights: Weights, resolution: float = 1.0) -> NDArray[np.int64]:
    """Returns the community number of each node, (nodes,), from 0; a node without edges is a community of its own.

    Maximises modularity with a fixed seed, so the same graph with the same row numbers gives the same communities.

    Args:
        nodes: how many there are.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        weights: (m,) edge weights; a heavier edge binds its ends more strongly.
        resolution: values above 1 give smaller communities.
    """
    import igraph
    import leidenalg

    graph = igraph.Graph(n=nodes, edges=np.stack([sources, targets], axis=1).tolist(), directed=False)
    partition: Any = leidenalg.find_partition(
        graph,
        leidenalg.RBConfigurationVertexPartition,
        weights=weights.astype(float).tolist(),
        resolution_parameter=resolution,
        n_iterations=-1,
        seed=0,
    )
    return np.array(partition.membership, dtype=np.int64)


def bounded_communities(
    nodes: int, sources: Rows, targets: Rows, weights: Weights, sizes: NDArray[np.int64], most: int, whole: int = 0
) -> list[NDArray[np.int64]]:
    """Returns communities of at most size `most` where a larger one can be split; each is the ascending rows of its nodes.

    Each connected component is clustered separately. Modularity depends on the whole graph, so new notes on an unrelated
    topic would otherwise change existing communities.

    Args:
        nodes: how many there are.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        weights: (m,) edge weights; a heavier edge binds its ends more strongly.
        sizes: (nodes,) size that each node adds to its community.
        most: maximum size; a larger community is clustered again, with a higher resolution if it does not split.
        whole: a component of at most this size is not split; modularity would split even a star in two.
    """
    done: list[NDArray[np.int64]] = []
    for rows, edges in _components(nodes, sources, targets, weights):
        done += [rows] if sizes[rows].sum() <= whole else _bounded(rows, *edges, sizes, most)
    return done


def _components(
    nodes: int, sources: Rows, targets: Rows, weights: Weights
) -> Iterator[tuple[NDArray[np.int64], tuple[Rows, Rows, Weights]]]:
    """Yields the ascending rows of each connected component and its edges, ordered by first row."""
    import scipy.sparse as sp

    adjacency = sp.coo_matrix((np.ones(len(sources)), (sources, targets)), shape=(nodes, nodes))
    count, labels = sp.csgraph.connected_components(adjacency, directed=False)
    of_edge = labels[sources]
    order = np.argsort(of_edge, kind="stable")
    bounds = np.searchsorted(of_edge[order], np.arange(count + 1))
    parts = list(_by_label(np.arange(nodes), labels)) if nodes else []
    for rows in sorted(parts, key=lambda part: int(part[0])):
        label = labels[rows[0]]
        own = order[bounds[label] : bounds[label + 1]]
        yield rows, (sources[own], targets[own], weights[own])


def _bounded(
    component: NDArray[np.int64],
    sources: Rows,
    targets: Rows,
    weights: Weights,
    sizes: NDArray[np.int64],
    most: int,
) -> list[NDArray[np.int64]]:
    """Returns the communities of one connected component, split until none is larger than `most`."""
    if len(component) == 1:
        return [component]
    done: list[NDArray[np.int64]] = []
    waiting = [(rows, 1.0) for rows in reversed(_split(component, sources, targets, weights, 1.0))]
    while waiting:
        rows, resolution = waiting.pop()
        if sizes[rows].sum() <= most or len(rows) < 2 or resolution > FINEST:
            done.append(rows)
            continue
        parts = _split(rows, sources, targets, weights, resolution)
        finer = resolution if len(parts) > 1 else 2 * resolution
        waiting += [(part, finer) for part in reversed(parts)]
    return done


def _split(
    rows: NDArray[np.int64], sources: Rows, targets: Rows, weights: Weights, resolution: float
) -> list[NDArray[np.int64]]:
    """Returns the communities of the subgraph of these nodes."""
    inside = np.isin(sources, rows) & np.isin(targets, rows)
    ends = (np.searchsorted(rows, sources[inside]), np.searchsorted(rows, targets[inside]))
    return _parts(rows, leiden(len(rows), *ends, weights[inside], resolution))


def _parts(rows: NDArray[np.int64], labels: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Returns the rows of each label, in the order of their first rows."""
    return sorted(_by_label(rows, labels), key=lambda part: int(part[0]))


def _by_label(rows: NDArray[np.int64], labels: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    order = np.argsort(labels, kind="stable")
    yield from np.split(rows[order], np.flatnonzero(np.diff(labels[order])) + 1)


def kmeans(vectors: NDArray[np.float32], clusters: int, seed: int = 0) -> NDArray[np.int64]:
    """Returns the cluster of each vector, (n,), numbered from 0.

    Runs in one thread, since several threads add up in a different order each time. The result depends on the order of the
    rows, so callers order them by the nodes' keys.

    Args:
        vectors: (n, dim).
        clusters: number of clusters, from 1 to n.
        seed: random seed for the choice of the initial centres (k-means++).
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        found = KMeans(n_clusters=clusters, n_init=1, max_iter=100, random_state=seed).fit_predict(vectors)
    return np.asarray(found, dtype=np.int64)
