"""Appends to a file of the user's, for `noderag add`: the one way by which noderag ever changes such a file."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

from noderag_local.system.disk.private_files import FILE_MODE

_FLAGS = (
    os.O_RDWR
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    # A pipe without a reader would never open.
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def append(path: Path, addition: Callable[[bytes], bytes]) -> None:
    """Appends bytes to a file, which is made if it does not exist; what stands in it is never written again.

    The bytes are added by one call of the system, so a killed process loses nothing of the file. If there is no room for all of
    them, none stay. Two processes that append do so one after the other.

    Args:
        path: the file. A link is not followed.
        addition: is given the content of the file and returns the bytes to append; it may raise.

    Raises:
        OSError: the file is a link (ELOOP), is not a file of the disk (EISDIR, EINVAL), or cannot be written.
    """
    descriptor = os.open(path, _FLAGS, FILE_MODE)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a file of the disk", str(path))
        _lock(descriptor)
        content = _content(descriptor)
        _append_all(descriptor, addition(content), len(content))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Waits until no other process appends; the lock ends with the descriptor."""
    try:
        import fcntl
    except ImportError:
        # Windows, where two additions in one moment may both begin a line.
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def _content(descriptor: int) -> bytes:
    blocks = []
    while block := os.read(descriptor, 1 << 20):
        blocks.append(block)
    return b"".join(blocks)


def _append_all(descriptor: int, addition: bytes, size_before: int) -> None:
    try:
        written = os.write(descriptor, addition)
        if written < len(addition):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        # Only what was just added goes: another program may have appended meanwhile.
        if size_before < os.fstat(descriptor).st_size < size_before + len(addition):
            os.ftruncate(descriptor, size_before)
        raise
