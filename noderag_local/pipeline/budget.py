"""How much of the work with the model is to be done now, and the clock that it is measured by."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

FIRST_STAGE_SHARE = 0.75
"""Of the time, for the first stage: all others live by what it finds, and a graph of units alone is worth most."""
STOPPED_SECONDS = 30.0
"""An engine asks many times a second whether to go on; when it has not for so long, the process was stopped (Ctrl-Z)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What an enrichment may take; without any limit, all there is to do."""

    seconds: float | None = None
    """Of work with the model; steps without it come on top. Towards the end nothing new is begun that would not come to its own in time."""
    share: float | None = None
    """0 to 1: of the items of the first stage, in its order."""
    keep_old: bool = False
    """Whether what an older version of a prompt made is left as it is, and only the rest is done."""


class WorkClock:
    """Seconds of work with the model; those of steps, of pauses and of a stopped process are not counted."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds = 0.0
        self._last: float | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Counts inside the block."""
        self._last = self._clock()
        try:
            yield
        finally:
            self.seconds()
            self._last = None

    @contextmanager
    def halted(self) -> Iterator[None]:
        """Does not count inside the block, which is inside one of `running`."""
        self.seconds()
        self._last = None
        try:
            yield
        finally:
            self._last = self._clock()

    def seconds(self) -> float:
        """Counted so far; to be asked often while it runs."""
        if self._last is not None:
            now = self._clock()
            passed = now - self._last
            self._seconds += passed if passed < STOPPED_SECONDS else 0.0
            self._last = now
        return self._seconds
