"""Finds the distinct pairs of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def first_of_each(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the row at which each distinct pair stands first, (m,) int64, in the order of the pairs.

    Not by np.unique: that of rows keeps all other threads waiting, for a second with a million of them.

    Args:
        pairs: (n, 2) int64.
    """
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    ordered = pairs[order]
    is_first = np.ones(len(pairs), np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return np.asarray(order[is_first], np.int64)
