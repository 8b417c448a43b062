"""Lists of rows, one list a row, in two arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LinkedRows:
    """The links of every row of a table into a table."""

    starts: NDArray[np.int64]
    """(n + 1,) where each row's links begin in `targets`; the last is where all end"""
    targets: NDArray[np.int64]
    """(links,)"""

    @classmethod
    def of_lists(cls, lists: Sequence[NDArray[np.int64]]) -> LinkedRows:
        """Makes the links from one list for each row."""
        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        targets = np.concatenate(lists) if len(lists) else np.zeros(0, np.int64)
        return cls(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), targets.astype(np.int64))

    @classmethod
    def both_ways(cls, near: NDArray[np.int64]) -> LinkedRows:
        """Returns undirected links, each listed at both of its ends, ascending.

        Args:
            near: (n, m) rows that each row is linked to; -1 where there are fewer.
        """
        own = np.repeat(np.arange(len(near)), near.shape[1])
        there = near.ravel() >= 0
        ends = own[there], near.ravel()[there]
        pairs = np.unique(np.concatenate([ends[0] * len(near) + ends[1], ends[1] * len(near) + ends[0]]))
        sources, targets = np.divmod(pairs, max(len(near), 1))
        return cls(np.searchsorted(sources, np.arange(len(near) + 1)).astype(np.int64), targets.astype(np.int64))

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The links of some rows, list after list; a target comes as often as it is linked to."""
        starts, lengths = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        places = np.arange(before[-1]) + np.repeat(starts - before[:-1], lengths)
        return np.asarray(self.targets[places], dtype=np.int64)
