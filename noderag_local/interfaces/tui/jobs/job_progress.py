"""Turns the counts of a job into one line: done of total, rate, time left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from noderag_local.system.printing.amounts import duration, rate
from noderag_local.system.printing.recent_rate import RecentRate

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.jobs.jobs import Control

WINDOW_SECONDS = 20.0
"""Seconds over which the rate is averaged."""
LEAST_STEPS = 3
"""Minimum number of steps for the rate, however old they are."""
TELL_SECONDS = 0.1
"""Minimum seconds between two lines about a stage, since each one makes the screen repaint."""
PAUSE_SECONDS = 0.1
"""Seconds between two checks whether a pause has ended."""


class JobProgress:
    """Shows the progress of each stage of a job. Use it in one thread only."""

    def __init__(self, control: Control, clock: Callable[[], float] = time.monotonic) -> None:
        self._control = control
        self._clock = clock
        self._stage = ""
        self._rate = RecentRate(WINDOW_SECONDS, LEAST_STEPS)
        self._told_at = float("-inf")

    def step(
        self,
        stage: str,
        done: int,
        total: int,
        amounts: Callable[[int, int], str],
        speeds: Callable[[float], str] = rate,
    ) -> None:
        """Records a stage's progress and shows it, if the last line is old enough.

        Args:
            stage: name of the stage, such as "embedding".
            done: units of work done.
            total: units of work in all; 0 if unknown.
            amounts: returns (done, total) as text.
            speeds: returns a rate as text, without its "/s".
        """
        now = self._clock()
        is_new = stage != self._stage
        if is_new:
            self._stage = stage
            self.forget_rate()
        if is_new or (total and done >= total) or now - self._told_at >= TELL_SECONDS:
            self._told_at = now
            self._rate.note(done, now)
            self._control.progress(self._line(done, total, amounts, speeds), done, total)

    def forget_rate(self) -> None:
        """Resets the rate; call it after a pause, which says nothing about the speed of the work."""
        self._rate = RecentRate(WINDOW_SECONDS, LEAST_STEPS)

    def _line(self, done: int, total: int, amounts: Callable[[int, int], str], speeds: Callable[[float], str]) -> str:
        parts = [f"{self._stage} {amounts(done, total)}"]
        speed = self._rate.per_second
        if speed and done < total:
            parts.append(f"{speeds(speed)}/s")
            parts.append(f"{duration((total - done) / speed)} left")
        return " · ".join(parts)


class Pausing:
    """Makes work pausable that only checks whether to stop: the check waits until the pause ends."""

    def __init__(self, control: Control, progress: JobProgress) -> None:
        self._control = control
        self._progress = progress

    def cancelled(self) -> bool:
        """Returns whether to stop. Called between pieces of work, when nothing is held open."""
        if self._control.paused() and not self._control.cancelled():
            while self._control.paused() and not self._control.cancelled():
                time.sleep(PAUSE_SECONDS)
            self._progress.forget_rate()
        return self._control.cancelled()
