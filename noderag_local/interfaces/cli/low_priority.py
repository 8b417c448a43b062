"""Lowers the priority of long work, so that a person at the machine does not notice it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NICENESS = 10
"""Niceness of the process, and of the group of processes of its terminal."""
AUTOGROUP = Path("/proc/self/autogroup")
"""File with the niceness of the terminal's group: Linux desktops divide the processor among terminals first, and a process's own niceness counts within its terminal only."""


@contextmanager
def low_priority() -> Iterator[None]:
    """Lowers the priority of this process for good, and that of its terminal meanwhile."""
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
    """Returns the niceness of the terminal's group of processes; None on systems without such groups."""
    try:
        return int(AUTOGROUP.read_text(encoding="ascii").rpartition(" ")[2])
    except (OSError, ValueError):
        return None


def _set_group_niceness(value: int) -> None:
    with suppress(OSError):  # not ours to change, or changed a moment ago: it is a courtesy, no need
        descriptor = os.open(AUTOGROUP, os.O_WRONLY)
        try:
            os.write(descriptor, str(value).encode())
        finally:
            os.close(descriptor)
