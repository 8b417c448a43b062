"""What reaches the disk itself, and what is taken from it."""

from __future__ import annotations

import os
from pathlib import Path

_BLOCK = bytes(1 << 20)


def sync(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk.

    Raises:
        OSError: the disk fails.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_and_wipe(new: Path, old: Path) -> None:
    """Puts a file in the place of another, whose content is then overwritten.

    A kill between the two leaves the new one, and the old content in free space.

    Raises:
        OSError: the disk fails.
    """
    with old.open("r+b") as file:
        os.replace(new, old)
        sync(old.parent)
        _overwrite(file.fileno())


def wipe(path: Path) -> None:
    """Overwrites a file and removes it; harmless where it is missing.

    Raises:
        OSError: the disk fails.
    """
    try:
        with path.open("r+b") as file:
            _overwrite(file.fileno())
    except FileNotFoundError:
        return
    path.unlink(missing_ok=True)


def _overwrite(descriptor: int) -> None:
    """With zeros: as far as the file system writes in place, which SSDs, snapshots and copy-on-write do not."""
    left = os.fstat(descriptor).st_size
    os.lseek(descriptor, 0, os.SEEK_SET)
    while left > 0:
        left -= os.write(descriptor, _BLOCK[:left])
    os.fsync(descriptor)
