"""How fast a piece of work goes, and how long it will still take."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 20.0
"""The rate is the mean over so long: shorter jumps about, longer is slow to see that the work got harder."""

LEAST_STEPS = 3
"""Steps that the rate is taken from at least, however old they are: some work comes in blocks of half a minute."""


class Pace:
    """Watches a counter go up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._samples: deque[tuple[float, int]] = deque()
        self.total = 0
        """0 where it is not known."""
        self.done = 0
        self.took_seconds: float | None = None
        """From the start to the end; None before the end."""

    def step(self, done: int, total: int) -> None:
        """Notes how far the work has come."""
        now = self._clock()
        if not self._samples or done != self.done:
            self._samples.append((now, done))
        while len(self._samples) > LEAST_STEPS + 1 and self._samples[1][0] < now - WINDOW_SECONDS:
            self._samples.popleft()
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
        if len(self._samples) < 2:
            return None
        (since, before), (until, after) = self._samples[0], self._samples[-1]
        return (after - before) / (until - since) if until > since and after > before else None

    @property
    def seconds_left(self) -> float | None:
        """At the latest rate, counting down between steps; None before it can be told."""
        rate = self.per_second
        if rate is None or not self.total:
            return None
        since_last_step = self._clock() - self._samples[-1][0]
        return max(0.0, (self.total - self.done) / rate - since_last_step)
