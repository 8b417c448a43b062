"""Limits of one run of enriching, and the clock that measures the model's work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

FIRST_STAGE_SHARE = 0.75
"""Share of the time for the first stage: all others need what it finds, and units alone are worth most."""
STOPPED_SECONDS = 30.0
"""Seconds without a sign of the engine that mean a stopped process (Ctrl-Z); it asks many times a second whether to go on."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one enrichment; without any, everything is done."""

    seconds: float | None = None
    """Seconds of work with the model; steps without it come on top. Near the end, no request starts that cannot finish in time."""
    share: float | None = None
    """Share, 0 to 1, of the items of the first stage, in its order."""
    keep_old: bool = False
    """Whether results of an older version of a prompt stay as they are."""


class WorkClock:
    """Counts seconds of work with the model, without steps, pauses and time in a stopped process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds = 0.0
        self._last: float | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Counts time inside the block."""
        self._last = self._clock()
        try:
            yield
        finally:
            self.seconds()
            self._last = None

    @contextmanager
    def halted(self) -> Iterator[None]:
        """Stops counting inside the block, which is inside one of `running`."""
        self.seconds()
        self._last = None
        try:
            yield
        finally:
            self._last = self._clock()

    def seconds(self) -> float:
        """Returns the seconds counted so far; call it often while it runs."""
        if self._last is not None:
            now = self._clock()
            passed = now - self._last
            self._seconds += passed if passed < STOPPED_SECONDS else 0.0
            self._last = now
        return self._seconds
