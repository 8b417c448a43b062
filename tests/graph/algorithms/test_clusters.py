"""Communities by Leiden and clusters by k-means."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.graph.algorithms.clusters import bounded_communities, kmeans, leiden


def columns(graph: nx.Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ends = np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2)
    weights = np.array([data.get("weight", 1.0) for _, _, data in graph.edges(data=True)], np.float32)
    return ends[:, 0], ends[:, 1], weights


def sets(labels: np.ndarray) -> list[set[int]]:
    return sorted((set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)), key=min)


def test_two_cliques_are_two_communities() -> None:
    graph = nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(6))
    graph.add_edge(0, 6)
    assert sets(leiden(12, *columns(graph))) == [set(range(6)), set(range(6, 12))]


def test_a_heavy_edge_holds_its_ends_together() -> None:
    graph = nx.path_graph(6)
    nx.set_edge_attributes(graph, {(2, 3): 50.0}, "weight")
    labels = leiden(6, *columns(graph))
    assert labels[2] == labels[3]


@given(st.integers(0, 30))
@settings(deadline=None, max_examples=15)
def test_no_worse_than_the_greedy_reference_and_the_same_each_time(seed: int) -> None:
    graph = nx.planted_partition_graph(4, 10, 0.6, 0.05, seed=seed)
    graph.add_edge(0, 1)
    labels = leiden(len(graph), *columns(graph))
    greedy = nx.community.modularity(graph, nx.community.greedy_modularity_communities(graph))
    assert nx.community.modularity(graph, sets(labels)) >= greedy - 0.02
    assert leiden(len(graph), *columns(graph)).tolist() == labels.tolist()


@given(st.integers(0, 30), st.integers(2, 12))
@settings(deadline=None, max_examples=25)
def test_bounded_communities_are_a_partition_and_within_bounds(seed: int, most: int) -> None:
    graph = nx.gnm_random_graph(40, 80, seed=seed)
    parts = bounded_communities(40, *columns(graph), np.ones(40, np.int64), most)
    assert sorted(np.concatenate(parts).tolist()) == list(range(40))
    assert max(len(part) for part in parts) <= most


def test_what_happens_elsewhere_moves_no_community() -> None:
    graph = nx.planted_partition_graph(4, 10, 0.6, 0.05, seed=3)
    alone = bounded_communities(40, *columns(graph), np.ones(40, np.int64), 20)
    beside = nx.disjoint_union(graph, nx.planted_partition_graph(6, 10, 0.6, 0.05, seed=4))
    both = bounded_communities(100, *columns(beside), np.ones(100, np.int64), 20)
    assert [part.tolist() for part in both if part[0] < 40] == [part.tolist() for part in alone]


def test_a_small_component_stays_whole() -> None:
    graph = nx.path_graph(8)
    assert len(bounded_communities(8, *columns(graph), np.ones(8, np.int64), 20)) > 1
    assert len(bounded_communities(8, *columns(graph), np.ones(8, np.int64), 20, whole=8)) == 1


def test_an_empty_graph_has_no_communities() -> None:
    assert bounded_communities(0, *columns(nx.Graph()), np.zeros(0, np.int64), 5) == []


def test_well_parted_clusters_are_found_and_found_again() -> None:
    random = np.random.default_rng(0)
    centres = np.eye(5, 8, dtype=np.float32) * 10
    vectors = (np.repeat(centres, 20, axis=0) + random.normal(size=(100, 8)) * 0.1).astype(np.float32)
    labels = kmeans(vectors, 5)
    assert [len(set(part.tolist())) for part in labels.reshape(5, 20)] == [1] * 5
    assert len(set(labels.tolist())) == 5
    assert kmeans(vectors, 5).tolist() == labels.tolist()
