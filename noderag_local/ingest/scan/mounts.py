"""Finds where other file systems are mounted: drives, network folders and bind mounts."""

from __future__ import annotations

import os
from collections.abc import Callable

from noderag_local.system.disk.mount_table import MOUNT_TABLE, read_mounts

IsMount = Callable[[str], bool]
"""Function that returns whether something is mounted at an absolute path."""


def mounts() -> IsMount:
    """Returns a function that checks whether something is mounted at a folder now.

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
    """Returns the folders where something is mounted, links resolved; None if the system has no such table."""
    mounts = read_mounts(table)
    return None if mounts is None else frozenset(mount.point for mount in mounts)
