"""Waits until files are on the disk, and overwrites content that must not stay there."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BLOCK = bytes(1 << 20)
_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD, and RENAME_EXCHANGE of renameat2."""
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM}
"""Errors that mean that the kernel, file system or container does not support the call."""


def sync(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk.

    Raises:
        OSError: the disk fails.
    """
    mode = os.O_RDONLY
    if sys.platform == "win32":
        # Windows cannot open a folder, whose names are in its own journal, and syncs only files opened for writing.
        if path.is_dir():
            return
        mode = os.O_RDWR
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_and_wipe(new: Path, old: Path) -> None:
    """Replaces a file by another one and then overwrites the old content.

    A kill in between leaves the old content under the new file's former name or, on systems that cannot exchange names (all but
    Linux), in free space.

    Raises:
        OSError: the disk fails.
    """
    if _exchanged(new, old):
        sync(old.parent)
        wipe(new)
        return
    with wiped_when_removed(old):
        os.replace(new, old)
        sync(old.parent)


def overwrite(path: Path) -> None:
    """Overwrites a file, which keeps its size; does nothing if it is missing.

    Raises:
        OSError: the disk fails.
    """
    try:
        with path.open("r+b") as file:
            _overwrite(file.fileno())
    except FileNotFoundError:
        return


def wipe(path: Path) -> None:
    """Overwrites and removes a file; does nothing if it is missing. A symbolic link is removed, but not its target.

    Raises:
        OSError: the disk fails; the file is still removed if possible.
    """
    try:
        if not path.is_symlink():
            overwrite(path)
    finally:
        path.unlink(missing_ok=True)


def wipe_folder(folder: Path) -> None:
    """Overwrites and removes a folder's files, then removes it.

    Raises:
        OSError: the disk fails, or the folder is a link, which is left untouched.
    """
    if folder.is_symlink():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    for path in folder.rglob("*"):
        if not path.is_dir():
            wipe(path)
    shutil.rmtree(folder)


@contextmanager
def wiped_when_removed(path: Path) -> Iterator[None]:
    """Overwrites the content of a file after the block has removed or replaced it; does nothing if there is no file.

    Raises:
        OSError: the disk fails.
    """
    try:
        file = path.open("r+b")
    except FileNotFoundError:
        yield
        return
    with file:
        yield
        if not _is_at(path, file.fileno()):
            _overwrite(file.fileno())


@contextmanager
def wiped_when_nameless(path: Path) -> Iterator[None]:
    """Overwrites a file after the block has removed its last name; others may use the file until then.

    Raises:
        OSError: the disk fails.
    """
    if sys.platform == "win32" or not path.exists():
        # Windows cannot remove an open file.
        yield
        return
    with path.open("r+b") as file:
        yield
        if os.fstat(file.fileno()).st_nlink == 0:
            _overwrite(file.fileno())


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _exchanged(one: Path, other: Path) -> bool:
    """Swaps the names of two files in one step; returns False if the system or the file system cannot."""
    if sys.platform != "linux":
        return False
    # Slow to load, and needed only here.
    import ctypes

    try:
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    if exchange(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    failed = ctypes.get_errno()
    if failed in _CANNOT:
        return False
    raise OSError(failed, os.strerror(failed), str(other))


def _overwrite(descriptor: int) -> None:
    """Overwrites a file with zeros, which helps only if the file system writes in place (no SSD, snapshot or copy-on-write)."""
    left = os.fstat(descriptor).st_size
    os.lseek(descriptor, 0, os.SEEK_SET)
    while left > 0:
        left -= os.write(descriptor, _BLOCK[:left])
    os.fsync(descriptor)
