"""The order in which vectors are added to an HNSW index."""

from __future__ import annotations

import numpy as np
import pytest

from noderag_local.graph.vectors.insertion_order import STEP, insertion_order


def near_and_far(groups: int, each: int) -> np.ndarray:
    """Vectors of some groups, mixed: those of a group are much nearer to one another than to others."""
    chance = np.random.default_rng(0)
    centres = np.tile(chance.normal(size=(groups, 32)), (each, 1))
    rows = centres + chance.normal(0, 0.1, centres.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 300])
def test_each_row_comes_once(count: int) -> None:
    order = insertion_order(near_and_far(3, 100)[:count])
    assert sorted(order.tolist()) == list(range(count))


def test_first_come_rows_of_all_groups_then_near_ones_together() -> None:
    groups, each = 7, 60
    order = insertion_order(near_and_far(groups, each))
    first = groups * each // STEP
    assert order[:first].tolist() == list(range(0, groups * each, STEP))
    of_group = order[first:] % groups
    assert (of_group[1:] != of_group[:-1]).sum() < 40, "in the order of the files there are some 370 changes of group"


def test_the_same_vectors_have_the_same_order() -> None:
    vectors = near_and_far(5, 80)
    assert insertion_order(vectors).tolist() == insertion_order(vectors.copy()).tolist()
