"""Shows the progress of long work on stderr: a bar for each stage at a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from noderag_local.domain.progress import Progress
from noderag_local.interfaces.cli.failures import say
from noderag_local.system.printing.amounts import counted, duration, rate
from noderag_local.system.printing.recent_rate import RecentRate

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

WINDOW_SECONDS = 20.0
"""Seconds over which the rate is averaged."""

LEAST_STEPS = 3
"""Minimum number of steps for the rate, however old they are."""


class Pace:
    """Measures the rate of a counter that increases."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._rate = RecentRate(WINDOW_SECONDS, LEAST_STEPS)
        self.total = 0
        """Total to reach; 0 if unknown."""
        self.done = 0
        self.took_seconds: float | None = None
        """Seconds from start to end; None before the end."""

    def step(self, done: int, total: int) -> None:
        """Records the progress of the work."""
        now = self._clock()
        if done != self.done or not done:
            self._rate.note(done, now)
        self.done, self.total = done, total
        if total and done >= total and self.took_seconds is None:
            self.took_seconds = now - self._started

    @property
    def elapsed_seconds(self) -> float:
        """Seconds since the start or, after the end, from start to end."""
        return self._clock() - self._started if self.took_seconds is None else self.took_seconds

    @property
    def per_second(self) -> float | None:
        """Recent average rate; None if not known yet."""
        return self._rate.per_second

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left at the recent rate, counting down between steps; None if not known yet."""
        rate, last = self.per_second, self._rate.last_seconds
        if rate is None or last is None or not self.total:
            return None
        return max(0.0, (self.total - self.done) / rate - (self._clock() - last))


LINE_SECONDS = 10.0
"""Seconds between two lines about the same stage if there is no terminal."""


@contextmanager
def shown_stages() -> Iterator[Callable[[Progress], None]]:
    """Yields a function that shows each step of progress."""
    from rich.console import Console

    terminal = Console(stderr=True)
    if not terminal.is_terminal:
        yield _Told()
        return
    with _bars(terminal) as bars:
        yield _Drawn(bars)


def _bars(terminal: Console) -> Bars:
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Amount(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(amount(task.fields["pace"], task.fields["unit"]))

    name = TextColumn("{task.description}", markup=False)
    return Bars(name, BarColumn(bar_width=24), Amount(), console=terminal)


class _Drawn:
    """Draws a bar for each stage that has begun; finished bars stay on the screen."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._stages: dict[str, tuple[Pace, TaskID]] = {}

    def __call__(self, progress: Progress) -> None:
        if progress.stage not in self._stages:
            pace = Pace()
            task = self._bars.add_task(progress.stage, total=None, pace=pace, unit=progress.unit)
            self._stages[progress.stage] = pace, task
        pace, task = self._stages[progress.stage]
        pace.step(progress.done, progress.total)
        self._bars.update(task, completed=progress.done, total=progress.total or None)


class _Told:
    """Prints a line when a stage ends, and one every few seconds before."""

    def __init__(self) -> None:
        self._paces: dict[str, Pace] = {}
        self._told_at: dict[str, float] = {}

    def __call__(self, progress: Progress) -> None:
        pace = self._paces.setdefault(progress.stage, Pace())
        had_ended = pace.took_seconds is not None
        pace.step(progress.done, progress.total)
        now = time.monotonic()
        last = self._told_at.setdefault(progress.stage, now)
        has_ended = pace.took_seconds is not None
        if had_ended or not (has_ended or now - last >= LINE_SECONDS):
            return
        self._told_at[progress.stage] = now
        say(f"{progress.stage}: {amount(pace, progress.unit)}")


def amount(pace: Pace, unit: str) -> str:
    """Returns the progress as text: `1,200 of 25,110 sentences, 290/s, 1 min 22 s left`."""
    if pace.took_seconds is not None:
        return f"{counted(pace.done, unit)} in {duration(pace.took_seconds)}"
    if not pace.total:
        return counted(pace.done, unit)
    parts = [f"{pace.done:,} of {counted(pace.total, unit)}"]
    if pace.per_second is not None:
        parts.append(f"{rate(pace.per_second)}/s")
    if pace.seconds_left is not None:
        parts.append(f"{duration(pace.seconds_left)} left")
    elif pace.elapsed_seconds >= 1:
        # Nothing is done yet, for example while a model is loaded; the time then shows that the work is running.
        parts.append(f"{duration(pace.elapsed_seconds)} so far")
    return ", ".join(parts)
