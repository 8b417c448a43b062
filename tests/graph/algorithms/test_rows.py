"""The largest scores and the distinct pairs, held against slow references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.graph.algorithms.rows import first_of_each, heaviest, top_rows

scores = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5, float("-inf")]), max_size=40)


@given(scores, st.integers(0, 50))
def test_agrees_with_sorting(values: list[float], most: int) -> None:
    finite = [row for row, value in enumerate(values) if np.isfinite(value)]
    wanted = sorted(finite, key=lambda row: (-values[row], row))[:most]
    assert top_rows(np.array(values, np.float32), most).tolist() == wanted


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_as_numpy_finds_them(pairs: list[tuple[int, int]]) -> None:
    rows = np.array(pairs, np.int64).reshape(-1, 2)
    _, first = np.unique(rows, axis=0, return_index=True)
    assert first_of_each(rows).tolist() == first.tolist()


@pytest.mark.parametrize("most", [0, 1, 900, 3_000, 70_000])
@pytest.mark.parametrize("share", [0.001, 0.5, 1.0])
def test_a_sample_of_many_rows_changes_nothing(share: float, most: int) -> None:
    drawn = np.random.default_rng(1)
    values = drawn.random(80_000, np.float32).round(3) * (drawn.random(80_000) < share)
    values[::7] = -np.inf
    rows = np.flatnonzero(np.isfinite(values))
    wanted = rows[np.lexsort((rows, -values[rows]))][:most]
    assert top_rows(values.astype(np.float32), most).tolist() == wanted.tolist()


@pytest.mark.parametrize("most", [1, 900, 3_000, 70_000])
@pytest.mark.parametrize("share", [0.001, 0.05, 1.0])
@pytest.mark.parametrize("size", [40, 80_000])
def test_the_heaviest_and_their_equals_are_left(size: int, share: float, most: int) -> None:
    drawn = np.random.default_rng(1)
    weights = (drawn.random(size, np.float32).round(3) * (drawn.random(size) < share)).astype(np.float32)
    above = np.sort(weights[weights > 0])
    least = above[-most] if len(above) > most else 0
    assert heaviest(weights, most).tolist() == np.where(weights >= least, weights, 0).tolist()
