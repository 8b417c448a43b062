"""Handles Ctrl-C: the first one stops a command cleanly, the second one immediately."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from noderag_local.interfaces.cli.failures import say

STDERR = 2


class Interruption:
    """Records whether the user has asked to stop."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    def asked(self) -> bool:
        """Whether Ctrl-C was pressed; fast, and safe to read from any thread."""
        return self._asked.is_set()

    def ask(self) -> None:
        """Asks the command to stop, as the first Ctrl-C does."""
        self._asked.set()


@contextmanager
def clean_stop(notice: str) -> Iterator[Interruption]:
    """Makes the first Ctrl-C inside the block only set a flag and print `notice`; the second one ends the process."""
    interruption = Interruption()

    def stop(number: int, frame: FrameType | None) -> None:
        interruption.ask()
        # The system's own handler instead of Python's, since it also ends a process that is deep in C code.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Shows the cursor, which a progress bar hides and the second Ctrl-C would leave hidden.
        _show_cursor()
        if notice:
            _say_from_handler(notice)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, before)


def _say_from_handler(notice: str) -> None:
    try:
        say(notice)
    except RuntimeError:
        # The signal came while this thread was writing to the same stream, which cannot be entered twice.
        os.write(STDERR, f"{notice}\n".encode())


def _show_cursor() -> None:
    # Not through sys.stderr, which a progress bar replaces by one that filters out control sequences.
    if os.isatty(STDERR):
        os.write(STDERR, b"\x1b[?25h")
