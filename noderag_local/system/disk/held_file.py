"""Tells a file that a process is writing from one that a killed process left, by a lock that ends with the process."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl


def hold(file: BinaryIO) -> None:
    """Holds a file until it is closed, where the file system has locks."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_left(path: Path) -> bool:
    """Returns whether no process holds a file any more; False where nobody can know."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
