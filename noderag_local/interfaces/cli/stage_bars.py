"""Shows the progress of long work on stderr: a bar for each stage at a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from noderag_local.domain.progress import Progress
from noderag_local.interfaces.cli.failures import say
from noderag_local.interfaces.cli.pace import Pace
from noderag_local.system.printing.amounts import counted, duration, rate

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

LINE_SECONDS = 10.0
"""Between two lines about the same stage where there is no terminal."""


@contextmanager
def shown_stages() -> Iterator[Callable[[Progress], None]]:
    """Gives a function that shows each step of progress."""
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
    """Draws a bar for each stage that has begun; finished ones stay on the screen."""

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
    """Prints a line when a stage ends, and one every few seconds while it lasts."""

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
    """Returns how far work has come: `1,200 of 25,110 sentences, 290/s, 1 min 22 s left`."""
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
        # Nothing is done yet (a model is being loaded, say): then this is all that shows that it goes on.
        parts.append(f"{duration(pace.elapsed_seconds)} so far")
    return ", ".join(parts)
