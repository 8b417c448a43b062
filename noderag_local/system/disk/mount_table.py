"""Reads Linux's table of mounted file systems, as this process sees it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

MOUNT_TABLE = "/proc/self/mountinfo"
_DEVICE, _POINT = 2, 4
"""Indexes of fields in a line, see proc(5). The type follows a dash, which comes after any number of optional fields."""
_END = b"-"
_ESCAPED = re.compile(rb"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system: one line of the table."""

    point: str
    """Mount point, links resolved."""
    kind: str
    """Type of the file system: "ext4", "nfs4", "fuse.sshfs"."""
    device: str
    """Major and minor number: "8:1"."""


def read_mounts(table: str = MOUNT_TABLE) -> list[Mount] | None:
    """Returns all mounts, the latest last, without accessing any drive; None if the system has no such table."""
    try:
        with open(table, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    fields = (line.split(b" ") for line in lines)
    return [_mount(found) for found in fields if len(found) > _POINT]


def mount_of(path: str, mounts: list[Mount]) -> Mount | None:
    """Returns the mount that contains a path.

    Args:
        path: absolute, without links.
        mounts: mounts of this machine, in the order of the table.
    """
    above = {path}
    while (parent := os.path.dirname(path)) != path:
        path = parent
        above.add(path)
    holding = [mount for mount in mounts if mount.point in above]
    # The last of several mounts at one point hides the others.
    return max(reversed(holding), key=lambda mount: len(mount.point), default=None)


def _mount(fields: list[bytes]) -> Mount:
    kind = fields[fields.index(_END, _POINT) + 1] if _END in fields[_POINT:] else b""
    return Mount(os.fsdecode(_unescaped(fields[_POINT])), os.fsdecode(kind), os.fsdecode(fields[_DEVICE]))


def _unescaped(field: bytes) -> bytes:
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 8)]), field)
