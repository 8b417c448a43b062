"""Clusters a network of tens of thousands of nodes into communities of bounded size: by weighted Leiden, or by spectral clustering."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.clusters import kmeans
from noderag_local.graph.algorithms.rows import unit_rows
from noderag_local.graph.algorithms.sparse import Rows, Weights, symmetric

ROUNDS = 4
"""Iterations of Leiden; further ones gain next to nothing."""
FINEST = 64.0
"""Resolution from which on a community that cannot be split is left whole."""


def leiden_communities(
    nodes: int, sources: Rows, targets: Rows, weights: Weights, most: int, seed: int = 0
) -> list[NDArray[np.int64]]:
    """Returns communities of at most `most` nodes, if they can be split so far; each as its ascending rows, ordered by first row.

    Each connected component is clustered by itself, since modularity looks at all edges; one that is small enough stays whole.

    Args:
        nodes: how many there are; one without edges is a community of its own.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        weights: (m,) of the edges; a heavier edge holds its ends together.
        most: a larger community is clustered again, at a finer resolution if it stays in one piece.
        seed: the same one and the same numbering of the nodes give the same communities.
    """
    import igraph

    graph = igraph.Graph(n=nodes, edges=np.stack([sources, targets], axis=1).tolist(), directed=False)
    graph.es["weight"] = weights.astype(float).tolist()
    done: list[NDArray[np.int64]] = []
    everything = np.arange(nodes, dtype=np.int64)
    waiting = [(everything[part], 1.0) for part in map(list, graph.connected_components())]
    with _seeded(seed):
        while waiting:
            rows, resolution = waiting.pop()
            if len(rows) <= most or resolution > FINEST:
                done.append(np.sort(rows))
                continue
            parts = [rows[part] for part in _leiden_parts(graph.induced_subgraph(rows.tolist()), resolution)]
            waiting += [(part, resolution if len(parts) > 1 else 2 * resolution) for part in parts]
    return sorted(done, key=lambda rows: int(rows[0]))


def _leiden_parts(graph: Any, resolution: float) -> list[list[int]]:
    """Returns the rows of each community of a subgraph."""
    found = graph.community_leiden(
        objective_function="modularity", weights="weight", resolution=resolution, n_iterations=ROUNDS
    )
    return [list(part) for part in found]


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seeds igraph's random numbers, which come from one source for the whole process."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)


DIMENSIONS = 64
"""Eigenvectors at most that a component's nodes are placed by. One a community, as the textbook has it, would be thousands
for ten thousand nodes, and hours; a few tell the coarse parts, and those are split among themselves."""
PARTS = 8
"""Number of parts that a community that is too large is split into."""


def spectral_communities(
    nodes: int, sources: Rows, targets: Rows, weights: Weights, most: int, seed: int = 0
) -> list[NDArray[np.int64]]:
    """Returns communities of at most `most` nodes, if their places differ; each as its ascending rows, ordered by first row.

    Each connected component is clustered by itself; one that is small enough stays whole.

    Args:
        nodes: how many there are; one without edges is a community of its own.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        weights: (m,) of the edges; a heavier edge holds its ends together.
        most: a larger community is split among itself.
        seed: of the eigenvectors and of the first centres.
    """
    adjacency = symmetric([(sources, targets, weights)], nodes)
    _, labels = sp.csgraph.connected_components(adjacency, directed=False)
    order = np.argsort(labels, kind="stable")
    components = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if nodes else []
    found = [part for rows in components for part in _split(rows, adjacency, most, seed)]
    return sorted(found, key=lambda rows: int(rows[0]))


def _split(component: NDArray[np.int64], adjacency: sp.csr_matrix, most: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yields the communities of one connected component."""
    if len(component) <= most:
        yield component
        return
    places = _places(adjacency[component][:, component].tocsr(), min(DIMENSIONS, -(-len(component) // most)), seed)
    waiting = [np.arange(len(component))]
    while waiting:
        rows = waiting.pop()
        clusters = min(PARTS, -(-len(rows) // most), len(np.unique(places[rows], axis=0)))
        if clusters < 2:
            yield component[rows]
            continue
        labels = kmeans(places[rows], clusters, seed)
        waiting += [rows[labels == label] for label in np.unique(labels)]


def _places(adjacency: sp.csr_matrix, dimensions: int, seed: int) -> NDArray[np.float32]:
    """Returns (n, dimensions) unit rows: the leading eigenvectors of the normalised adjacency."""
    from sklearn.utils.extmath import randomized_svd

    scale = sp.diags(1 / np.sqrt(np.asarray(adjacency.sum(axis=0)).ravel()))
    # Half a walk that stays where it is, so that no eigenvalue is below 0 and the largest are the largest by amount, too.
    lazy = (scale @ adjacency @ scale + sp.identity(adjacency.shape[0])) / 2
    vectors, _, _ = randomized_svd(lazy.tocsr(), n_components=dimensions, random_state=seed)
    return np.round(unit_rows(vectors), 5)
