"""Pairs, each once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.graph.algorithms.rows import first_of_each


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_as_numpy_finds_them(pairs: list[tuple[int, int]]) -> None:
    rows = np.array(pairs, np.int64).reshape(-1, 2)
    _, first = np.unique(rows, axis=0, return_index=True)
    assert first_of_each(rows).tolist() == first.tolist()
