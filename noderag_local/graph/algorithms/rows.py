"""Functions over the rows of arrays: largest scores, scaling to unit length, distinct pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SAMPLED_FROM = 1 << 15
"""Rows from which on a sample tells most of those that are not among the largest; all of fewer are partitioned as quickly."""
SAMPLE_STEP = 64
"""Each so manieth row is in the sample."""


def top_rows(scores: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """Returns the rows of the largest finite scores, largest first, ties by row; faster than sorting all scores.

    Args:
        scores: (n,) score of each row; infinite ones are ignored.
        most: maximum number of rows to return.
    """
    rows = _likely(scores, most)
    if len(rows) > most:
        values = scores[rows]
        least = _least_of_largest(values, most) if most else np.inf
        above = np.flatnonzero(values > least)
        # Thousands of rows may share the least score, as those do that have none of a question's words.
        rows = rows[np.concatenate([above, np.flatnonzero(values == least)[: most - len(above)]])]
    return np.asarray(rows[np.lexsort((rows, -scores[rows]))], dtype=np.int64)


def _likely(scores: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """Returns rows, ascending, among which the largest finite scores are; of many rows a sample tells most of the others."""
    sample = scores[::SAMPLE_STEP] if len(scores) > SAMPLED_FROM else scores[:0]
    wanted = SAMPLE_STEP + 2 * most // SAMPLE_STEP
    if wanted < len(sample):
        floor = _least_of_largest(sample, wanted)
        rows = np.flatnonzero(scores > floor)
        rows = rows[np.isfinite(scores[rows])]
        if len(rows) >= most:
            return rows
    return np.flatnonzero(np.isfinite(scores))


def heaviest(weights: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """Returns weights, (n,), of which only the largest are left, and those that equal the least of these; the others are 0.

    Args:
        weights: (n,) not negative.
        most: number of weights to leave.
    """
    if np.count_nonzero(weights != 0) <= most:
        return weights
    rows = _likely(weights, most)
    values = weights[rows]
    kept = values >= _least_of_largest(values, most)
    left = np.zeros_like(weights)
    left[rows[kept]] = values[kept]
    return left


def _least_of_largest(values: NDArray[np.float32], most: int) -> np.float32:
    """Returns the least of the `most` largest values; there must be as many."""
    # numpy takes ten times as long where most values are the same, as those of sentences without any of the question's words.
    lowest = values.min()
    above = values[values > lowest]
    return np.float32(np.partition(above, len(above) - most)[len(above) - most] if len(above) >= most else lowest)


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns the vectors, (n, dim), scaled to unit length; rows of zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), dtype=np.float32)


def first_of_each(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the first row of each distinct pair, (m,) int64, ordered by the pairs.

    np.unique over rows would block all other threads for a second on a million pairs.

    Args:
        pairs: (n, 2) int64.
    """
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    ordered = pairs[order]
    is_first = np.ones(len(pairs), np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return np.asarray(order[is_first], np.int64)
