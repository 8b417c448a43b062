"""Lowers the priority of long work, so that it does not slow down other programs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NICENESS = 10
"""Niceness for the process and for the process group of its terminal."""
AUTOGROUP = Path("/proc/self/autogroup")
"""File with the niceness of the terminal's process group. Linux desktops divide the processor among terminals first; a process's
own niceness counts only within its terminal."""


@contextmanager
def low_priority() -> Iterator[None]:
    """Lowers the priority of this process permanently, and that of its terminal's group inside the block."""
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, 0, max(os.getpriority(os.PRIO_PROCESS, 0), NICENESS))
    before = _group_niceness()
    if before is None or before >= NICENESS:
        yield
        return
    _set_group_niceness(NICENESS)
    try:
        yield
    finally:
        _set_group_niceness(before)


def _group_niceness() -> int | None:
    """Returns the niceness of the terminal's process group; None on systems without such groups."""
    try:
        return int(AUTOGROUP.read_text(encoding="ascii").rpartition(" ")[2])
    except (OSError, ValueError):
        return None


def _set_group_niceness(value: int) -> None:
    with suppress(OSError):  # not allowed, or changed a moment ago; the lower priority is optional
        descriptor = os.open(AUTOGROUP, os.O_WRONLY)
        try:
            os.write(descriptor, str(value).encode())
        finally:
            os.close(descriptor)
