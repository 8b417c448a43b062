"""Against networkx, and against the numbers of Algorithm 1 worked out by hand."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.graph.algorithms.importance import (
    betweenness_threshold,
    degree_threshold,
    degrees,
    importance,
    pivot_betweenness,
)


def columns(graph: nx.Graph) -> tuple[np.ndarray, np.ndarray]:
    ends = np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


graphs = st.builds(nx.gnm_random_graph, st.integers(2, 20), st.integers(1, 40), seed=st.integers(0, 99))


@settings(deadline=None, max_examples=40)
@given(graphs)
def test_degrees_agree_with_networkx(graph: nx.Graph) -> None:
    assert degrees(len(graph), *columns(graph)).tolist() == [degree for _, degree in graph.degree]


@settings(deadline=None, max_examples=40)
@given(graphs, st.data())
def test_betweenness_from_pivots_agrees_with_networkx(graph: nx.Graph, data: st.DataObject) -> None:
    pivots = sorted(data.draw(st.sets(st.sampled_from(range(len(graph))), min_size=1)))
    expected = nx.betweenness_centrality_subset(graph, pivots, list(graph))
    found = pivot_betweenness(len(graph), *columns(graph), np.array(pivots))
    assert found == pytest.approx([expected[node] for node in graph])


@settings(deadline=None, max_examples=40)
@given(graphs)
def test_with_every_node_a_pivot_it_is_the_exact_betweenness(graph: nx.Graph) -> None:
    expected = nx.betweenness_centrality(graph, normalized=False)
    found = pivot_betweenness(len(graph), *columns(graph), np.arange(len(graph)))
    assert found == pytest.approx([expected[node] for node in graph])


def test_thresholds_of_the_paper() -> None:
    assert degree_threshold(np.full(100, 4)) == math.floor(math.log(100) * 2)
    assert betweenness_threshold(np.full(1000, 2.0)) == 6.0
    assert degree_threshold(np.zeros(0, np.int64)) == 0


def test_a_hub_and_a_bridge_are_important_and_their_surroundings_are_not() -> None:
    graph = nx.disjoint_union(nx.star_graph(40), nx.star_graph(40))
    graph.add_edges_from([(0, 82), (82, 41)])
    found = importance(len(graph), *columns(graph))
    assert set(np.flatnonzero(found)) == {0, 41, 82}


def test_nothing_is_important_without_edges() -> None:
    empty = np.zeros(0, np.int64)
    assert importance(0, empty, empty).tolist() == []
    assert importance(3, empty, empty).tolist() == [0, 0, 0]
