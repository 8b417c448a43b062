"""Measures how fast work goes, and estimates how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable

from noderag_local.system.printing.recent_rate import RecentRate

WINDOW_SECONDS = 20.0
"""Seconds over which the rate is the mean."""

LEAST_STEPS = 3
"""Number of steps that the rate needs at least, however old they are."""


class Pace:
    """The rate of a counter that goes up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._rate = RecentRate(WINDOW_SECONDS, LEAST_STEPS)
        self.total = 0
        """Total to reach; 0 when it is not known."""
        self.done = 0
        self.took_seconds: float | None = None
        """Seconds from the start to the end; None before the end."""

    def step(self, done: int, total: int) -> None:
        """Notes how far the work has come."""
        now = self._clock()
        if self._rate.last_seconds is None or done != self.done:
            self._rate.note(done, now)
        self.done, self.total = done, total
        if total and done >= total and self.took_seconds is None:
            self.took_seconds = now - self._started

    @property
    def elapsed_seconds(self) -> float:
        """Seconds since the start, or from the start to the end."""
        return self._clock() - self._started if self.took_seconds is None else self.took_seconds

    @property
    def per_second(self) -> float | None:
        """Latest mean rate; None before it is known."""
        return self._rate.per_second

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left at the latest rate, counting down between steps; None before it is known."""
        rate, last = self.per_second, self._rate.last_seconds
        if rate is None or last is None or not self.total:
            return None
        return max(0.0, (self.total - self.done) / rate - (self._clock() - last))
