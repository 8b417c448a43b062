"""Measures the recent rate at which a total grows."""

from __future__ import annotations

from collections import deque


class RecentRate:
    """Measures the recent growth of a total, by the caller's clock."""

    def __init__(self, window_seconds: float, least_samples: int) -> None:
        """Starts without samples.

        Args:
            window_seconds: time over which the rate is averaged; a shorter one fluctuates, a longer one shows changes late.
            least_samples: minimal number of samples in the average, however old, since some work comes in long blocks.
        """
        self._window = window_seconds
        self._least = least_samples
        self._samples: deque[tuple[float, int]] = deque()
        self._first: int | None = None

    def note(self, total: int, now_seconds: float) -> None:
        """Records the present total. While it is still the first one, counting starts anew: a model was loaded, for example."""
        if self._first is None:
            self._first = total
        if total == self._first:
            self._samples.clear()
        self._samples.append((now_seconds, total))
        while len(self._samples) > self._least + 1 and self._samples[1][0] < now_seconds - self._window:
            self._samples.popleft()

    @property
    def samples(self) -> int:
        """Number of samples that the rate is computed from, without the first one."""
        return max(0, len(self._samples) - 1)

    @property
    def last_seconds(self) -> float | None:
        """Returns the time of the last sample."""
        return self._samples[-1][0] if self._samples else None

    @property
    def per_second(self) -> float | None:
        """Returns the mean rate; None before there are enough samples."""
        if not self.samples:
            return None
        (since, before), (until, after) = self._samples[0], self._samples[-1]
        return (after - before) / (until - since) if until > since and after > before else None
