"""Clusters tens of thousands of nodes into communities of bounded size, by weighted Leiden, spectral clustering or SCAN."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.clusters import kmeans
from noderag_local.graph.algorithms.rows import unit_rows
from noderag_local.graph.algorithms.sparse import Rows, Weights, symmetric
from noderag_local.storage.database.distinct import distinct

ROUNDS = 4
"""Iterations of Leiden; more improve almost nothing."""
FINEST = 64.0
"""Highest resolution that is tried; a community that it does not split stays as it is."""


def leiden_communities(
    nodes: int, sources: Rows, targets: Rows, weights: Weights, most: int, seed: int = 0
) -> list[NDArray[np.int64]]:
    """Returns communities of at most `most` nodes where larger ones can be split; each is ascending rows, ordered by first row.

    Each connected component is clustered separately, since modularity depends on all edges; a small component is not split.

    Args:
        nodes: how many there are; one without edges is a community of its own.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        weights: (m,) edge weights; a heavier edge binds its ends more strongly.
        most: maximum size; a larger community is clustered again, with a higher resolution if it does not split.
        seed: random seed; the same seed and order of nodes give the same communities.
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
            if len(parts) == len(rows):
                # Nodes that are all linked alike, such as the names of one long list, fall apart at once.
                parts = np.array_split(np.sort(rows), -(-len(rows) // most))
            waiting += [(part, resolution if len(parts) > 1 else 2 * resolution) for part in parts]
    return sorted(done, key=lambda rows: int(rows[0]))


def _leiden_parts(graph: Any, resolution: float) -> list[list[int]]:
    """Returns the rows of each community of a graph at a resolution."""
    found = graph.community_leiden(
        objective_function="modularity", weights="weight", resolution=resolution, n_iterations=ROUNDS
    )
    return [list(part) for part in found]


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seeds igraph's random number generator, which the whole process shares."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)


DIMENSIONS = 64
"""Maximum eigenvectors that place a component's nodes. One per community, as textbooks say, would be thousands for ten thousand
nodes and take hours. A few separate the large parts, which are then split further."""
PARTS = 8
"""Number of parts that a too large community is split into."""


def spectral_communities(
    nodes: int, sources: Rows, targets: Rows, weights: Weights, most: int, seed: int = 0
) -> list[NDArray[np.int64]]:
    """Returns communities of at most `most` nodes where spectral clustering can split larger ones; ascending rows each.

    Each connected component is clustered separately; a small one is not split. Communities are ordered by first row.

    Args:
        nodes: how many there are; one without edges is a community of its own.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        weights: (m,) edge weights; a heavier edge binds its ends more strongly.
        most: maximum size; a larger community is split again.
        seed: random seed for the eigenvectors and the initial centres.
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
        waiting += [rows[labels == label] for label in distinct(labels)]


def _places(adjacency: sp.csr_matrix, dimensions: int, seed: int) -> NDArray[np.float32]:
    """Returns the leading eigenvectors of the normalised adjacency matrix as unit rows, (n, dimensions)."""
    from sklearn.utils.extmath import randomized_svd

    scale = sp.diags(1 / np.sqrt(np.asarray(adjacency.sum(axis=0)).ravel()))
    # The walk stays in place half of the time, so that no eigenvalue is negative and the largest are also largest in magnitude.
    lazy = (scale @ adjacency @ scale + sp.identity(adjacency.shape[0])) / 2
    vectors, _, _ = randomized_svd(lazy.tocsr(), n_components=dimensions, random_state=seed)
    return np.round(unit_rows(vectors), 5)


SIMILAR_FROM = 0.7
"""ε, the structural similarity from which two linked nodes count as similar. Xu et al. 2007 say that 0.5 to 0.8 is sufficient."""
SIMILAR_STEP = 0.1
"""How much higher ε is when a cluster that is too large is clustered again."""
ROUNDING = 1e-5
"""Similarities that are lower by less count as equal to ε; the last digits depend on the order of a sum."""


def scan_communities(
    nodes: int, sources: Rows, targets: Rows, weights: Weights, most: int, seed: int = 0
) -> list[NDArray[np.int64]]:
    """Returns the clusters of SCAN, each ascending rows, ordered by first row; hubs and outliers are alone.

    Two linked nodes are similar if they have most neighbours in common: |Γ(u) ∩ Γ(v)| / sqrt(|Γ(u)| |Γ(v)|), where Γ(u) holds
    u and its neighbours (Xu et al. 2007, "SCAN"). With μ = 2, which they recommend, each node that is similar to another is a
    core, so a cluster is what similar pairs connect.

    Args:
        nodes: how many there are; one without edges is a community of its own.
        sources: (m,) row of one end of each undirected edge, each edge once.
        targets: (m,) row of the other end.
        weights: (m,) edge weights; SCAN does not use them.
        most: maximum size; a larger cluster is clustered again with a higher ε, but one of nodes with equal neighbours stays.
        seed: not used, since nothing is random.
    """
    similarities = _structural_similarities(symmetric([(sources, targets, np.ones_like(weights))], nodes))
    done: list[NDArray[np.int64]] = []
    waiting = [(np.arange(nodes, dtype=np.int64), SIMILAR_FROM)]
    while waiting:
        rows, least = waiting.pop()
        parts = [rows[part] for part in _scan(similarities[rows][:, rows].tocsr(), least)]
        higher = least + SIMILAR_STEP
        done += [part for part in parts if len(part) <= most or higher >= 1]
        waiting += [(part, higher) for part in parts if len(part) > most and higher < 1]
    return sorted(done, key=lambda rows: int(rows[0]))


def _structural_similarities(adjacency: sp.csr_matrix) -> sp.csr_matrix:
    """Returns the structural similarity of linked nodes, (n, n) symmetric; a node has similarity 1 with itself."""
    closed = ((adjacency + sp.identity(adjacency.shape[0])) > 0).astype(np.float32).tocsr()
    scale = sp.diags(1 / np.sqrt(np.asarray(closed.sum(axis=1)).ravel()))
    return (scale @ (closed @ closed).multiply(closed) @ scale).tocsr()


def _scan(similarities: sp.csr_matrix, least: float) -> list[NDArray[np.int64]]:
    """Returns the clusters at one ε, and each node outside all clusters alone."""
    near = similarities >= np.float32(least - ROUNDING)
    _, labels = sp.csgraph.connected_components(near, directed=False)
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else []


Clustering = Literal["leiden", "spectral", "scan"]
Clusters = Callable[[int, Rows, Rows, Weights, int], list[NDArray[np.int64]]]
CLUSTERINGS: Mapping[Clustering, Clusters] = {
    "leiden": leiden_communities,
    "spectral": spectral_communities,
    "scan": scan_communities,
}
"""Function of each clustering; the paper's section 4.3 compares these and node2vec with k-means."""
