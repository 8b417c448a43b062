"""The sparse product against networkx, and what the walk must keep."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.graph.algorithms.pagerank import pagerank, shallow_pagerank
from noderag_local.graph.algorithms.sparse import symmetric, transition

Edge = tuple[int, int, float]


def matrix(edges: list[Edge], nodes: int):
    rows = np.array([a for a, _, _ in edges], np.int64)
    columns = np.array([b for _, b, _ in edges], np.int64)
    weights = np.array([w for _, _, w in edges], np.float32)
    return transition(symmetric([(rows, columns, weights)], nodes))


def slow(edges: list[Edge], nodes: int, seeds: np.ndarray, teleport: float, steps: int) -> np.ndarray:
    """π ← αp + (1−α)Pᵀπ by hand over a networkx graph."""
    graph = nx.Graph()
    graph.add_nodes_from(range(nodes))
    for a, b, weight in edges:
        before = graph.get_edge_data(a, b, {"weight": 0.0})["weight"]
        graph.add_edge(a, b, weight=before + weight)
    mass = {node: float(seeds[node]) for node in range(nodes)}
    for _ in range(steps):
        moved = dict.fromkeys(range(nodes), 0.0)
        for node, neighbours in graph.adjacency():
            total = sum(data["weight"] for data in neighbours.values())
            for other, data in neighbours.items():
                moved[other] += mass[node] * data["weight"] / total
        mass = {node: teleport * float(seeds[node]) + (1 - teleport) * moved[node] for node in range(nodes)}
    return np.array([mass[node] for node in range(nodes)])


edges_of_eight = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.floats(0.1, 3.0)).filter(lambda edge: edge[0] != edge[1]),
    max_size=20,
)


@given(edges_of_eight, st.integers(0, 7), st.floats(0.0, 1.0), st.integers(0, 5))
def test_agrees_with_networkx(edges: list[Edge], seed: int, teleport: float, steps: int) -> None:
    start = np.zeros(8, np.float32)
    start[seed] = 1
    found = shallow_pagerank(matrix(edges, 8).__matmul__, start, teleport, steps)
    assert np.allclose(found, slow(edges, 8, start, teleport, steps), atol=1e-5)


def test_mass_reaches_no_further_than_its_steps() -> None:
    chain = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)]
    start = np.array([1, 0, 0, 0, 0], np.float32)
    found = shallow_pagerank(matrix(chain, 5).__matmul__, start, 0.5, 2)
    assert (found > 0).tolist() == [True, True, True, False, False]


def test_mass_is_kept_where_every_node_has_an_edge() -> None:
    ring = [(node, (node + 1) % 6, 1.0 + node) for node in range(6)]
    start = np.full(6, 1 / 6, np.float32)
    assert shallow_pagerank(matrix(ring, 6).__matmul__, start, 0.3, 5).sum() == pytest.approx(1, abs=1e-5)


def test_the_ranks_of_a_whole_graph_are_those_of_networkx() -> None:
    random = np.random.default_rng(1)
    pairs = {tuple(sorted(pair)) for pair in random.integers(0, 30, (45, 2)).tolist() if pair[0] != pair[1]}
    ours = pagerank(matrix([(a, b, 1.0) for a, b in sorted(pairs)], 32))
    graph = nx.Graph(sorted(pairs))
    graph.add_nodes_from(range(32))
    theirs = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=500)
    assert np.allclose(ours, [theirs[node] for node in range(32)], atol=1e-6)
    assert ours.sum() == pytest.approx(1)


def test_an_empty_graph_has_no_ranks() -> None:
    assert len(pagerank(sp.csr_matrix((0, 0)))) == 0
