"""The walk down the levels finds what comparing with every node finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from noderag_local.storage.vectors.chnsw import LINKS, CommunityHnsw, LinkedRows, Nearest, nearest_below, nearest_links

NODES, THEMES, DIMENSION = 3000, 300, 24


def unit(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), dtype=np.float32)


@pytest.fixture(scope="module")
def levels() -> list[NDArray[np.float32]]:
    """Nodes around themes, some of them twins; communities of the nodes of a theme; one level of communities of these."""
    rng = np.random.default_rng(7)
    themes = unit(rng.normal(size=(THEMES, DIMENSION)))
    theme_of = rng.integers(0, THEMES, NODES)
    nodes = unit(themes[theme_of] + 0.8 * unit(rng.normal(size=(NODES, DIMENSION))))
    nodes[NODES // 2 : NODES // 2 + 200] = nodes[:200]
    return [nodes, themes, unit(themes.reshape(-1, 10, DIMENSION).mean(axis=1))]


@pytest.fixture(scope="module")
def queries() -> NDArray[np.float32]:
    return unit(np.random.default_rng(8).normal(size=(50, DIMENSION)))


def best(vectors: NDArray[np.float32], query: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    return np.sort(vectors @ query)[::-1][:k]


def recall(
    levels: list[NDArray[np.float32]], found: list[tuple[Nearest, ...]], queries: NDArray[np.float32]
) -> list[float]:
    """Of each level; a node counts that is as near as the exact fifth."""
    return [
        float(
            np.mean(
                [
                    (one[number].cosines >= best(level, query, 5)[-1] - 1e-5).mean()
                    for one, query in zip(found, queries, strict=True)
                ]
            )
        )
        for number, level in enumerate(levels)
    ]


def test_small_levels_are_compared_with_one_by_one(
    levels: list[NDArray[np.float32]], queries: NDArray[np.float32]
) -> None:
    index = CommunityHnsw(levels)
    for query in queries:
        for level, found in zip(levels, index.search(query, 5), strict=True):
            assert np.allclose(found.cosines, best(level, query, 5))
            assert np.allclose(level[found.rows] @ query, found.cosines)


def test_a_walk_finds_nearly_all_of_the_nearest(
    levels: list[NDArray[np.float32]], queries: NDArray[np.float32]
) -> None:
    index = CommunityHnsw(levels, exact_up_to=100)
    found = [index.search(query, 5) for query in queries]
    assert min(recall(levels, found, queries)) >= 0.98
    assert all(len(level.rows) == 5 for one in found for level in one)
    for one, query in zip(found, queries, strict=True):
        for level, nearest in zip(levels, one, strict=True):
            assert np.allclose(level[nearest.rows] @ query, nearest.cosines, atol=1e-6)
            assert (np.diff(nearest.cosines) <= 0).all()


def test_each_node_is_linked_with_the_nearest_of_the_level_below(levels: list[NDArray[np.float32]]) -> None:
    below = nearest_below(levels[1], levels[0])
    assert np.allclose((levels[1] * levels[0][below]).sum(axis=1), (levels[1] @ levels[0].T).max(axis=1))


def test_twins_are_found_together(levels: list[NDArray[np.float32]]) -> None:
    index = CommunityHnsw(levels, exact_up_to=100)
    nodes = index.search(levels[0][5], 2)[0]
    assert nodes.rows.tolist() == [5, NODES // 2 + 5]


def test_only_what_is_told_is_found(levels: list[NDArray[np.float32]], queries: NDArray[np.float32]) -> None:
    told = [np.arange(len(level)) % 7 == 3 for level in levels]
    for index in (CommunityHnsw(levels), CommunityHnsw(levels, exact_up_to=100)):
        for level, inside, found in zip(levels, told, index.search(queries[0], 5, told), strict=True):
            assert inside[found.rows].all()
            assert np.allclose(found.cosines, best(level[inside], queries[0], 5))
    nothing = [np.zeros(len(level), dtype=bool) for level in levels]
    assert all(len(found.rows) == 0 for found in CommunityHnsw(levels).search(queries[0], 5, nothing))


def test_levels_may_be_empty_and_one_may_be_all_there_is(levels: list[NDArray[np.float32]]) -> None:
    query = levels[0][0]
    (alone,) = CommunityHnsw(levels[:1], exact_up_to=10).search(query, 5)
    assert alone.rows[0] == 0
    empty = np.zeros((0, DIMENSION), np.float32)
    (nothing,) = CommunityHnsw([empty]).search(query, 5)
    assert len(nothing.rows) == len(nothing.cosines) == 0


def test_links_are_kept_in_a_file_that_is_believed_only_for_its_vectors(
    levels: list[NDArray[np.float32]], tmp_path: Path
) -> None:
    cache = tmp_path / "entities.links"
    vectors = levels[0][:2500]
    made = nearest_links(vectors, cache)
    written = cache.read_bytes()
    assert made.shape == (2500, LINKS)
    assert (nearest_links(vectors, cache) == made).all()
    assert cache.read_bytes() == written
    others = nearest_links(vectors[::-1], cache)
    assert (others != made).any()
    assert cache.read_bytes() != written
    cache.write_bytes(written[:-1])
    assert (nearest_links(vectors, cache) == made).all()
    assert (nearest_links(vectors, None) == made).all()


def test_no_file_is_written_where_every_node_is_compared_with(
    levels: list[NDArray[np.float32]], tmp_path: Path
) -> None:
    CommunityHnsw(levels, tmp_path / "entities.links").search(levels[0][0], 5)
    assert not list(tmp_path.iterdir())


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 20), max_size=5), max_size=8), st.data())
def test_links_of_rows_are_their_lists_one_after_the_other(lists: list[list[int]], data: st.DataObject) -> None:
    links = LinkedRows.of_lists([np.array(one, np.int64) for one in lists])
    rows = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=6)) if lists else []
    wanted = [target for row in rows for target in lists[row]]
    assert links.of(np.array(rows, np.int64)).tolist() == wanted


def test_undirected_links_stand_on_both_sides_once() -> None:
    links = LinkedRows.both_ways(np.array([[1, 2], [0, -1], [-1, -1], [1, -1]]))
    assert [links.of(np.array([row])).tolist() for row in range(4)] == [[1, 2], [0, 3], [0], [1]]
    assert LinkedRows.both_ways(np.zeros((0, 2), np.int64)).of(np.zeros(0, np.int64)).tolist() == []
