"""How fast a piece of work goes, and how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable

from noderag_local.system.printing.recent_rate import RecentRate

WINDOW_SECONDS = 20.0
"""That the rate is the mean of."""

LEAST_STEPS = 3
"""Steps that the rate is taken from at least, however old they are."""


class Pace:
    """Watches a counter go up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._rate = RecentRate(WINDOW_SECONDS, LEAST_STEPS)
        self.total = 0
        """0 where it is not known."""
        self.done = 0
        self.took_seconds: float | None = None
        """From the start to the end; None before the end."""

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
        """Since the start, or from the start to the end."""
        return self._clock() - self._started if self.took_seconds is None else self.took_seconds

    @property
    def per_second(self) -> float | None:
        """The latest mean rate; None before it can be told."""
        return self._rate.per_second

    @property
    def seconds_left(self) -> float | None:
        """At the latest rate, counting down between steps; None before it can be told."""
        rate, last = self.per_second, self._rate.last_seconds
        if rate is None or last is None or not self.total:
            return None
        return max(0.0, (self.total - self.done) / rate - (self._clock() - last))
