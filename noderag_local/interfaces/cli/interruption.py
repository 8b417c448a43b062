"""Ctrl-C once stops a command cleanly, twice stops it at once."""

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
    """Whether the user has asked to stop."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    def asked(self) -> bool:
        """True from the first Ctrl-C on; cheap, and safe to ask from any thread."""
        return self._asked.is_set()

    def ask(self) -> None:
        """Asks to stop, as the first Ctrl-C does."""
        self._asked.set()


@contextmanager
def clean_stop(notice: str) -> Iterator[Interruption]:
    """Inside the block the first Ctrl-C only sets a flag and prints `notice`; the second one ends the process."""
    interruption = Interruption()

    def stop(number: int, frame: FrameType | None) -> None:
        interruption.ask()
        # The system's own handling, not Python's: it also ends a process that is deep in C code.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # A progress bar hides the cursor, and the second Ctrl-C leaves no time to bring it back.
        _show_cursor()
        if notice:
            say(notice)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, before)


def _show_cursor() -> None:
    # Past sys.stderr, which a progress bar has replaced by one that lets no control sequence through.
    if os.isatty(STDERR):
        os.write(STDERR, b"\x1b[?25h")
