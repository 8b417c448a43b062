"""Against sorting everything."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.graph.algorithms.rows import top_rows

scores = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5, float("-inf")]), max_size=40)


@given(scores, st.integers(0, 50))
def test_agrees_with_sorting(values: list[float], most: int) -> None:
    finite = [row for row, value in enumerate(values) if np.isfinite(value)]
    wanted = sorted(finite, key=lambda row: (-values[row], row))[:most]
    assert top_rows(np.array(values, np.float32), most).tolist() == wanted
