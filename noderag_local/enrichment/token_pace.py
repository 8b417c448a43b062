"""How many tokens a second the model reads and writes."""

from __future__ import annotations

from collections import deque

WINDOW_SECONDS = 60.0
"""The rate is the mean over so long: many requests that run side by side come to their ends in bursts."""
LEAST_ANSWERS = 4
"""That the rate is taken from, however long ago: the first one alone says nothing of those that run beside it."""


class TokenPace:
    """Watches tokens come, by the seconds of a `WorkClock`."""

    def __init__(self, started_seconds: float) -> None:
        self._samples: deque[tuple[float, int]] = deque([(started_seconds, 0)])
        self._tokens = 0

    def note(self, tokens: int, now_seconds: float) -> None:
        """An answer has come to its end, and so many tokens were read and written for it."""
        self._tokens += tokens
        self._samples.append((now_seconds, self._tokens))
        while len(self._samples) > LEAST_ANSWERS + 1 and self._samples[1][0] < now_seconds - WINDOW_SECONDS:
            self._samples.popleft()

    @property
    def per_second(self) -> float | None:
        """The latest mean rate; None before it can be told."""
        if len(self._samples) <= LEAST_ANSWERS:
            return None
        (since, before), (until, after) = self._samples[0], self._samples[-1]
        return (after - before) / (until - since) if until > since and after > before else None
