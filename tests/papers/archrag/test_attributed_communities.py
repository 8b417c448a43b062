"""Attributed communities: edges against a slow reference, what holds of every hierarchy, and what its options do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import scipy.sparse as sp
from helpers.small_documents import unit_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import calinski_harabasz_score

from noderag_local.papers.archrag.attributed_communities import (
    FEWEST_TO_CLUSTER,
    MOST_LEVELS,
    HierarchyOptions,
    hierarchy,
)
from noderag_local.papers.archrag.attributed_edges import (
    LEAST_WEIGHT,
    NEAR_PERCENTILE,
    ONE_AND_THE_SAME,
    attributed_edges,
)
from noderag_local.papers.archrag.clustering import leiden_communities, scan_communities, spectral_communities
from noderag_local.papers.archrag.community_level import MOST_MEMBERS, Level, membership, quality

LEIDEN, SPECTRAL, SCAN = (
    HierarchyOptions(),
    HierarchyOptions(clustering="spectral"),
    HierarchyOptions(clustering="scan"),
)


def linked(nodes: int, *pairs: tuple[int, int]) -> sp.csr_matrix:
    ends = np.array(pairs).reshape(-1, 2)
    both = np.concatenate([ends, ends[:, ::-1]])
    return sp.csr_matrix((np.ones(len(both), np.float32), (both[:, 0], both[:, 1])), shape=(nodes, nodes))


def cliques(*sizes: int) -> sp.csr_matrix:
    return sp.block_diag([np.ones((size, size)) - np.eye(size) for size in sizes], format="csr", dtype=np.float32)


def villages(count: int) -> sp.csr_matrix:
    """Cliques of six, each linked with the next one."""
    adjacency = cliques(*[6] * count).tolil()
    for village in range(count - 1):
        adjacency[6 * village, 6 * village + 7] = adjacency[6 * village + 7, 6 * village] = 1
    return adjacency.tocsr()


def found(
    adjacency: sp.csr_matrix,
    vectors: np.ndarray,
    options: HierarchyOptions = LEIDEN,
    known: Sequence[Sequence[np.ndarray]] = (),
) -> tuple[Level, ...]:
    """The hierarchy where the summary of a community is the mean of what is below it."""
    below = [vectors]

    def summarise(level: Level) -> np.ndarray:
        sums = membership(level.members, len(below[-1])) @ below[-1]
        below.append(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9))
        return below[-1]

    return hierarchy(adjacency, vectors, summarise, options, known)


def sets(level: Level) -> list[set[int]]:
    return [set(members.tolist()) for members in level.members]


@st.composite
def networks(draw: st.DrawFn) -> tuple[sp.csr_matrix, np.ndarray]:
    nodes = draw(st.integers(2, 60))
    pairs = draw(st.sets(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), min_size=1, max_size=150))
    return linked(nodes, *{(a, b) for a, b in pairs if a < b}), unit_rows(nodes, 6, draw(st.integers(0, 99)))


def slow_edges(adjacency: sp.csr_matrix, vectors: np.ndarray) -> dict[tuple[int, int], float]:
    """What `attributed_edges` says, one pair at a time."""
    dense, nodes = adjacency.toarray() > 0, len(vectors)
    cosines = np.round(vectors @ vectors.T, 4)
    pairs = [(a, b) for a in range(nodes) for b in range(a + 1, nodes)]
    links = {(a, b): cosines[a, b] for a, b in pairs if dense[a, b]}
    telling = [weight for weight in links.values() if weight < ONE_AND_THE_SAME]
    if telling:
        least = np.percentile(telling, NEAR_PERCENTILE)
        rows = [row for row in range(nodes) if dense[row].any()]
        most = round(2 * len(links) / len(rows))
        for row in rows:
            near = [other for other in rows if other != row and not dense[row, other] and cosines[row, other] > least]
            for other in sorted(near, key=lambda other: (-cosines[row, other], other))[:most]:
                links[min(row, other), max(row, other)] = cosines[row, other]
    return {pair: max(weight, LEAST_WEIGHT) for pair, weight in sorted(links.items())}


class TestEdges:
    @settings(max_examples=30, deadline=None)
    @given(networks())
    def test_they_are_those_of_a_slow_search(self, network: tuple[sp.csr_matrix, np.ndarray]) -> None:
        sources, targets, weights = attributed_edges(*network, augment=True)
        found = dict(zip(zip(sources.tolist(), targets.tolist(), strict=True), weights.tolist(), strict=True))
        slow = slow_edges(*network)
        assert list(found) == list(slow)
        assert found == pytest.approx(slow, abs=2e-4)

    def test_near_nodes_are_joined_without_a_link_and_far_ones_weigh_next_to_nothing(self) -> None:
        vectors = np.array([[1, 0], [0, 1], [0.99, 0.14], [0, -1]], np.float32)
        adjacency = linked(4, (0, 1), (2, 3))
        sources, targets, weights = attributed_edges(adjacency, vectors, augment=True)
        assert (0, 2) in zip(sources.tolist(), targets.tolist(), strict=True)
        assert weights.min() == np.float32(LEAST_WEIGHT)
        plain = attributed_edges(adjacency, vectors, augment=False)
        assert [*zip(plain[0].tolist(), plain[1].tolist(), strict=True)] == [(0, 1), (2, 3)]

    def test_nodes_of_one_vector_do_not_shut_out_the_near_ones(self) -> None:
        vectors = unit_rows(4, 6, 0)[[0, 0, 1, 2, 3, 3]]
        sources, _, _ = attributed_edges(linked(6, (0, 1), (4, 5), (2, 3)), vectors, augment=True)
        assert len(sources) > 3


class TestHierarchy:
    @pytest.mark.parametrize("options", [LEIDEN, SPECTRAL, SCAN, HierarchyOptions(augment=False)], ids=str)
    @settings(max_examples=15, deadline=None)
    @given(network=networks())
    def test_every_level_is_made_of_whole_communities_below(
        self, options: HierarchyOptions, network: tuple[sp.csr_matrix, np.ndarray]
    ) -> None:
        levels = found(*network, options)
        below = len(network[1])
        assert len(levels) <= MOST_LEVELS
        for place, level in enumerate(levels):
            held = np.concatenate(level.members)
            assert len(np.unique(held)) == len(held) and held.min() >= 0 and held.max() < below
            assert all(len(members) >= 2 and (np.diff(members) > 0).all() for members in level.members)
            assert place == 0 or below >= FEWEST_TO_CLUSTER
            below = len(level.members)

    @pytest.mark.parametrize("options", [LEIDEN, SPECTRAL, SCAN], ids=str)
    @settings(max_examples=15, deadline=None)
    @given(network=networks())
    def test_brought_up_to_date_without_a_change_it_stays_as_it_is(
        self, options: HierarchyOptions, network: tuple[sp.csr_matrix, np.ndarray]
    ) -> None:
        levels = found(*network, options)
        again = found(*network, options, [level.members for level in levels])
        for level, same in zip(levels, again, strict=True):
            assert [rows.tolist() for rows in level.members] == [rows.tolist() for rows in same.members]
            assert same.continues.tolist() == list(range(len(level.members)))

    def test_what_hangs_together_is_a_community(self) -> None:
        (level,) = found(cliques(6, 4), np.repeat(unit_rows(2, 8, 1), [6, 4], axis=0))
        assert sets(level) == [set(range(6)), set(range(6, 10))]

    def test_villages_are_found_and_gathered(self) -> None:
        vectors = np.repeat(unit_rows(8, 8, 3), 6, axis=0) + 0.05 * unit_rows(48, 8, 4)
        levels = found(villages(8), vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
        assert sets(levels[0]) == [set(range(at, at + 6)) for at in range(0, 48, 6)]
        assert len(levels) > 1
        assert set().union(*sets(levels[1])) == set(range(8))

    def test_one_layer_is_the_first_of_several(self) -> None:
        network = villages(8), np.repeat(unit_rows(8, 8, 3), 6, axis=0)
        several = found(*network)
        (single,) = found(*network, HierarchyOptions(levels=1))
        assert sets(single) == sets(several[0])

    def test_what_is_too_large_is_split(self) -> None:
        (level, *_) = found(cliques(60), unit_rows(60, 8, 5))
        assert max(len(members) for members in level.members) <= MOST_MEMBERS

    @pytest.mark.parametrize("options", [LEIDEN, SPECTRAL, SCAN], ids=str)
    def test_it_is_the_same_on_every_run(self, options: HierarchyOptions) -> None:
        network = villages(9), unit_rows(54, 8, 6)
        first, second = found(*network, options), found(*network, options)
        assert [sets(level) for level in first] == [sets(level) for level in second]

    def test_nodes_without_a_link_are_in_none(self) -> None:
        adjacency = sp.block_diag([cliques(3), sp.csr_matrix((4, 4))], format="csr")
        (level,) = found(adjacency, unit_rows(7, 8, 7))
        assert sets(level) == [{0, 1, 2}]
        assert found(sp.csr_matrix((4, 4)), unit_rows(4, 8, 7)) == ()
        assert found(sp.csr_matrix((0, 0)), np.zeros((0, 0), np.float32)) == ()


Clusters = Callable[[int, np.ndarray, np.ndarray, np.ndarray, int], list[np.ndarray]]


@pytest.mark.parametrize("clusters", [leiden_communities, spectral_communities, scan_communities])
class TestEveryWay:
    def test_cliques_stay_together_and_what_is_large_is_split(self, clusters: Clusters) -> None:
        found = self.found(clusters, cliques(5, 5, 20), 15)
        assert set().union(*found) == set(range(30))
        assert {0, 1, 2, 3, 4} in found and {5, 6, 7, 8, 9} in found
        # SCAN cannot tell the nodes of a clique apart.
        assert max(map(len, found)) <= (20 if clusters is scan_communities else 15)

    def test_two_villages_on_one_road_are_two_communities(self, clusters: Clusters) -> None:
        assert self.found(clusters, villages(2), 6) == [set(range(6)), set(range(6, 12))]

    def test_a_node_without_edges_is_alone(self, clusters: Clusters) -> None:
        assert self.found(clusters, sp.block_diag([cliques(3), sp.csr_matrix((1, 1))]), 15) == [{0, 1, 2}, {3}]

    @staticmethod
    def found(clusters: Clusters, adjacency: sp.spmatrix, most: int) -> list[set[int]]:
        pairs = sp.triu(adjacency).tocoo()
        pairs.eliminate_zeros()
        ends = pairs.row.astype(np.int64), pairs.col.astype(np.int64)
        ones = np.ones(len(ends[0]), np.float32)
        return [set(rows.tolist()) for rows in clusters(adjacency.shape[0], *ends, ones, most)]


def split(labels: np.ndarray) -> list[np.ndarray]:
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


@pytest.mark.parametrize("seed", range(5))
def test_the_index_is_that_of_scikit_learn(seed: int) -> None:
    vectors = unit_rows(50, 6, seed)
    labels = np.random.default_rng(seed).integers(0, 7, 50)
    assert quality(split(labels), vectors).calinski_harabasz == pytest.approx(
        calinski_harabasz_score(vectors, labels), rel=1e-5
    )


def test_the_cosine_is_one_where_all_of_a_community_are_one_and_lower_where_they_differ() -> None:
    vectors = np.repeat(unit_rows(2, 6, 1), 3, axis=0)
    assert quality([np.arange(3), np.arange(3, 6)], vectors).cosine == pytest.approx(1)
    assert quality([np.array([0, 1, 3]), np.array([2, 4, 5])], vectors).cosine < 0.99


def test_nodes_in_no_community_do_not_count() -> None:
    vectors = unit_rows(8, 6, 2)
    communities = [np.array([0, 1, 2]), np.array([3, 4, 5])]
    assert quality(communities, vectors) == quality(communities, np.concatenate([vectors[:6], -vectors[6:]]))


@pytest.mark.parametrize("communities", [[np.arange(4)], [np.array([row]) for row in range(4)]])
def test_too_few_or_too_many_communities_have_no_quality(communities: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="it takes at least two"):
        quality(communities, unit_rows(4, 6, 3))
