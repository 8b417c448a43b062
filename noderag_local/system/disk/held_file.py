"""Tells a file that a process is writing from one that a killed process left, by a lock that ends with the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl


@contextmanager
def held(file: BinaryIO) -> Iterator[None]:
    """Holds a file until the block ends, even if it is closed before, where the file system has locks."""
    if sys.platform == "win32":
        # A second descriptor would keep the file from being renamed.
        yield
        return
    descriptor = os.dup(file.fileno())
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def taken_if_left(path: Path) -> Iterator[bool]:
    """Locks a file until the block ends, and yields whether that succeeded, so that no process is writing the file.

    Yields False where this cannot be known.
    """
    if sys.platform == "win32":
        yield False
        return
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield False
        return
    try:
        yield _lock(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Locks a file until its descriptor is closed; returns False if another process has the lock, or the file system has none."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
