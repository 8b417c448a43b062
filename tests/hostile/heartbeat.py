"""How long a program was held: another thread ticks, and whoever keeps the interpreter's lock makes it miss its ticks."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import Self

TICK_SECONDS = 0.005
TOLD_SECONDS = 0.05
"""Longer gaps are told with what the watched thread was doing when they were over."""


@dataclass
class Heartbeat:
    """Ticks while it is entered; watches the thread that entered it.

    A gap counts as far as the watched thread computed in it: what else the machine does keeps ticks back, too.
    """

    longest_seconds: float = 0.0
    longest_gap_seconds: float = 0.0
    """By the clock, whoever was computing."""
    told: list[tuple[float, str]] = field(default_factory=list)
    _done: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _tick(self) -> None:
        at, computed = time.perf_counter(), self._computed()
        while not self._done.wait(TICK_SECONDS):
            now, now_computed = time.perf_counter(), self._computed()
            gap = now - at - TICK_SECONDS
            held = min(gap, now_computed - computed)
            self.longest_gap_seconds = max(self.longest_gap_seconds, gap)
            if held > TOLD_SECONDS:
                self.told.append((held, self._doing()))
            self.longest_seconds = max(self.longest_seconds, held)
            at, computed = now, now_computed

    def _computed(self) -> float:
        """Seconds of the processor that the watched thread has had."""
        if sys.platform == "win32" or sys.platform == "darwin":
            return time.process_time()
        return time.clock_gettime(time.pthread_getcpuclockid(self._watched))

    def _doing(self) -> str:
        frame = sys._current_frames().get(self._watched)
        stack = traceback.extract_stack(frame)[-5:] if frame else []
        return " > ".join(f"{one.filename.rsplit('/', 1)[-1]}:{one.lineno} {one.name}" for one in stack)
