"""How sure a difference between two methods is (paired bootstrap, Efron and Tibshirani 1993, chapter 16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SAMPLES = 10_000
SEED = 20
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and where it lies in CONFIDENCE of the samples; in the unit of the values."""

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether it is sure enough to be called more or less than nothing."""
        return self.low > 0 or self.high < 0


def mean_interval(values: Sequence[float]) -> Interval:
    """The mean over questions, and how far other questions of the same kind might move it.

    Args:
        values: one a question; not empty. For two methods: the differences, question by question.

    Raises:
        ValueError: there are none.
    """
    if not values:
        raise ValueError("a mean needs at least one value")
    sample = np.asarray(values, np.float64)
    means = sample[_drawn(len(sample))].mean(axis=1)
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(float(sample.mean()), float(low), float(high))


@lru_cache(maxsize=1)
def _drawn(questions: int) -> NDArray[np.int64]:
    """(SAMPLES, questions) places: a report has hundreds of intervals over the same questions."""
    return np.random.default_rng(SEED).integers(questions, size=(SAMPLES, questions))
