"""An executor that does what one with other processes does to work: it looks ahead, and everything goes through pickle."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

from noderag_local.system.batches.executor import Batch, Result, Work, WorkSignals


class PicklingExecutor:
    """Keeps some batches in hand, and notes how many items were in each."""

    def __init__(self, ahead: int = 4) -> None:
        self._ahead = ahead
        self.sizes: list[int] = []
        """Number of items of each batch."""

    def results(self, work: Work[Batch, Result], batches: Iterable[Batch], signals: WorkSignals) -> Iterator[Result]:
        shared, left = pickle.dumps(work), iter(batches)
        in_hand: deque[bytes] = deque()
        while not signals.cancelled():
            in_hand.extend(pickle.dumps(batch) for batch in islice(left, self._ahead - len(in_hand)))
            if not in_hand:
                return
            batch = pickle.loads(in_hand.popleft())  # noqa: S301 - it was pickled two lines above
            self.sizes.append(len(batch))
            yield pickle.loads(pickle.dumps(pickle.loads(shared)(batch, WorkSignals())))  # noqa: S301
