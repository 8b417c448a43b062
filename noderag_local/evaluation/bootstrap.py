"""Computes confidence intervals of differences between methods (paired bootstrap, Efron and Tibshirani 1993, chapter 16)."""

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
    """A mean and its confidence interval, which contains the mean of CONFIDENCE of the samples; in the unit of the values."""

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside the interval, so that the sign of the mean is certain."""
        return self.low > 0 or self.high < 0


def mean_interval(values: Sequence[float]) -> Interval:
    """Returns the mean of the values with its confidence interval over samples of the questions.

    Args:
        values: one value per question, not empty; to compare two methods, the difference for each question.

    Raises:
        ValueError: there are no values.
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
    """Draws the bootstrap samples, (SAMPLES, questions), once for the hundreds of intervals of a report."""
    return np.random.default_rng(SEED).integers(questions, size=(SAMPLES, questions))
