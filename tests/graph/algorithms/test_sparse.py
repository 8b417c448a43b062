"""A product that reads only rows with mass is the product of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from noderag_local.graph.algorithms.sparse import spread_rows


@pytest.mark.parametrize("rows_with_mass", [0, 1, 12, 400])
def test_few_and_many_rows_give_the_same_sums(rows_with_mass: int) -> None:
    drawn = np.random.default_rng(rows_with_mass)
    matrix = sp.random_array((400, 3_000), density=0.01, rng=drawn, dtype=np.float32).tocsr()
    rows = np.sort(drawn.permutation(400)[:rows_with_mass])
    mass = 1 + drawn.random(rows_with_mass, np.float32)
    made = spread_rows(matrix, matrix.T.tocsr(), rows, mass)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, matrix.toarray()[rows].T @ mass, rtol=1e-4, atol=1e-6)
