"""Where other file systems are mounted: drives, network folders, and parts of other folders that are bound to a place."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

IsMount = Callable[[str], bool]
"""Whether something is mounted at a folder, absolute."""

MOUNT_TABLE = "/proc/self/mountinfo"
_POINT = 4
"""Number of the field of a line that says where; proc(5)."""
_ESCAPED = re.compile(rb"\\([0-7]{3})")


def mounts() -> IsMount:
    """What is mounted now.

    Linux says so itself, of bound folders too, and no drive that does not answer is waited for. Elsewhere a folder tells it
    by being on another device than the one above it.
    """
    points = mount_points()
    if points is None:
        return os.path.ismount
    names = {os.path.basename(point) for point in points}
    # Resolving links costs a look at each folder above, and hardly any folder has the name of a mount.
    return lambda folder: os.path.basename(folder) in names and os.path.realpath(folder) in points


def mount_points(table: str = MOUNT_TABLE) -> frozenset[str] | None:
    """Where something is mounted, links resolved; None where the system has no such table."""
    try:
        with open(table, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    return frozenset(os.fsdecode(_unescaped(line.split(b" ")[_POINT])) for line in lines)


def _unescaped(field: bytes) -> bytes:
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 8)]), field)
