"""Distinct numbers, ascending: what `np.unique` and `np.union1d` return, many times faster."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.number)


def distinct(*parts: NDArray[Number]) -> NDArray[Number]:
    """Returns (n,) the distinct numbers of some arrays of one type, ascending.

    Since numpy 2.3, `np.unique` puts whole numbers into a hash table: 1 s for 680,000 ids, and 0.03 s by sorting them.

    Args:
        parts: arrays of any shape.
    """
    ordered = np.sort(np.concatenate([part.ravel() for part in parts]))
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
