"""Defines the limits of an enrichment and the clock that measures the model's working time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

FIRST_STAGE_SHARE = 0.75
"""Share of the time for the first stage, whose results all other stages need and which help searches most."""
GRACE = 0.1
"""Share of the time that running requests may take beyond it; what has not ended then is dropped, and asked again in the next run."""
STOPPED_SECONDS = 30.0
"""Seconds without a call from the engine that mean a suspended process (Ctrl-Z); normally it calls many times a second."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one enrichment; by default there are none."""

    seconds: float | None = None
    """Seconds of the model's work, not counting steps without it. No request starts that is not expected to finish in time."""
    share: float | None = None
    """Share, 0 to 1, of the first stage's items to do, in their order."""
    keep_old: bool = False
    """Whether results of an older version of a prompt are kept."""


class WorkClock:
    """Counts seconds of the model's work, without steps, pauses and time while the process is suspended."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds = 0.0
        self._last: float | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Counts the time inside the block."""
        self._last = self._clock()
        try:
            yield
        finally:
            self.seconds()
            self._last = None

    @contextmanager
    def halted(self) -> Iterator[None]:
        """Pauses counting inside the block, which must be within a block of `running`."""
        self.seconds()
        self._last = None
        try:
            yield
        finally:
            self._last = self._clock()

    def seconds(self) -> float:
        """Returns the seconds counted so far; must be called often while the clock runs."""
        if self._last is not None:
            now = self._clock()
            passed = now - self._last
            self._seconds += passed if passed < STOPPED_SECONDS else 0.0
            self._last = now
        return self._seconds
