"""Exact nearest rows: the same as by comparing everything in float64, and the same in whatever company."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from noderag_local.graph.algorithms.nearest import MOST_CANDIDATES, Nearness

K = 10


def unit_rows(count: int, dimension: int = 48, seed: int = 0) -> NDArray[np.float16]:
    rows = np.random.default_rng(seed).normal(size=(count, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def slow(vectors: NDArray[np.float16], rank: NDArray[np.int64]) -> list[list[int]]:
    """The nearest others of each row, by comparing all with all."""
    cosines = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    np.fill_diagonal(cosines, -2.0)
    return [np.lexsort((rank, -line))[:K].tolist() for line in cosines]


def lists(vectors: NDArray[np.float16], rows: NDArray[np.int64], rank: NDArray[np.int64]) -> list[list[int]]:
    return [line for block in Nearness(vectors, lambda: rank).nearest(rows, K) for line in block.nearest.tolist()]


@pytest.mark.parametrize("count", [11, 90, 700, 3000])
def test_all_lists_are_those_of_comparing_all_with_all(count: int) -> None:
    vectors, rank = unit_rows(count), np.arange(count)
    assert lists(vectors, np.arange(count), rank) == slow(vectors, rank)


def test_of_twins_those_come_first_that_the_rank_says() -> None:
    vectors = np.repeat(unit_rows(20), 30, axis=0)
    rank = np.random.default_rng(1).permutation(600)
    assert lists(vectors, np.arange(600), rank) == slow(vectors, rank)


def test_of_thousands_of_equal_rows_the_lists_are_the_same() -> None:
    chance = np.random.default_rng(2)
    vectors = np.concatenate(
        [np.repeat(unit_rows(2), MOST_CANDIDATES + 100, axis=0), unit_rows(40, seed=1), unit_rows(300)]
    )
    vectors, rank = chance.permutation(vectors), chance.permutation(len(vectors))
    rows = chance.permutation(len(vectors))[:700]
    expected = slow(vectors, rank)
    assert lists(vectors, rows, rank) == [expected[row] for row in rows]


def test_cosines_have_the_same_bits_in_any_block() -> None:
    nearness = Nearness(unit_rows(700), lambda: np.arange(700))
    (together,) = nearness.nearest(np.arange(500), K)
    (alone,) = nearness.nearest(np.array([7]), K)
    assert np.array_equal(alone.cosines[0], together.cosines[7])


def test_with_few_rows_a_list_ends_early() -> None:
    (block,) = Nearness(unit_rows(3), lambda: np.arange(3)).nearest(np.arange(3), K)
    assert (block.nearest[:, 2:] == -1).all()
    assert (block.cosines[:, 2:] == -1).all()


def test_rows_within_reach_are_found_and_the_far_ones_are_not() -> None:
    vectors = unit_rows(700)
    cosines = vectors.astype(np.float64) @ vectors[5].astype(np.float64)
    ((found, given),) = Nearness(vectors, lambda: np.arange(700)).within_reach(np.array([5]), np.full(700, 0.3))
    assert set(np.flatnonzero(cosines >= 0.3)) <= set(found.tolist())
    assert set(found.tolist()) <= set(np.flatnonzero(cosines >= 0.2999))
    assert set(given.tolist()) == {5}


def test_the_nearest_among_all_are_the_nearest() -> None:
    vectors = np.repeat(unit_rows(30), 5, axis=0)
    rank = np.random.default_rng(3).permutation(150)
    lists, candidates = np.nonzero(~np.eye(150, dtype=bool))
    found = Nearness(vectors, lambda: rank).nearest_among(np.arange(150), lists, candidates, K)
    assert found.nearest.tolist() == slow(vectors, rank)


def test_a_list_of_few_candidates_ends_early() -> None:
    nearness = Nearness(unit_rows(9), lambda: np.arange(9))
    found = nearness.nearest_among(np.array([2, 5]), np.array([5, 5]), np.array([1, 8]), 3)
    assert (found.nearest[0] == -1).all()
    assert sorted(found.nearest[1].tolist()) == [-1, 1, 8]
