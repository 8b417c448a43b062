"""How fast something grows, of late."""

from __future__ import annotations

from collections import deque


class RecentRate:
    """Watches a total grow, on a clock of the caller's."""

    def __init__(self, window_seconds: float, least_samples: int) -> None:
        """Begin with nothing seen.

        Args:
            window_seconds: the rate is the mean over so long: shorter jumps about, longer is slow to see a change.
            least_samples: that it spans at least, however old they are: some work comes in blocks of half a minute.
        """
        self._window = window_seconds
        self._least = least_samples
        self._samples: deque[tuple[float, int]] = deque()

    def note(self, total: int, now_seconds: float) -> None:
        """The total is so much by now; the first one is where counting starts."""
        self._samples.append((now_seconds, total))
        while len(self._samples) > self._least + 1 and self._samples[1][0] < now_seconds - self._window:
            self._samples.popleft()

    @property
    def samples(self) -> int:
        """That the rate is taken from, the first one not counted."""
        return max(0, len(self._samples) - 1)

    @property
    def last_seconds(self) -> float | None:
        """When the total was noted last."""
        return self._samples[-1][0] if self._samples else None

    @property
    def per_second(self) -> float | None:
        """The mean rate; None before it can be told."""
        if not self.samples:
            return None
        (since, before), (until, after) = self._samples[0], self._samples[-1]
        return (after - before) / (until - since) if until > since and after > before else None
