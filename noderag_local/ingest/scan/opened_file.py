"""Opens files for reading and checks that they are still the files that were opened.

Between the scan, which follows no link out of what the user named, and the reading, somebody may put a link in the place of
the file or of a folder above it. So a file is opened part by part from the root, and no part may be a link.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from noderag_local.domain.errors import DocumentError

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | _NO_LINK | getattr(os, "O_DIRECTORY", 0)
"""O_PATH: a folder that may be passed through but not listed is passed through."""
_LINK = {errno.ELOOP, errno.ENOTDIR, errno.EINVAL}
"""Errors for a link in place of a file or a folder, and for one that goes away while it is followed."""


class NotAtRest(DocumentError):
    """Raised when a file changes while it is read. It may look unchanged again later, with the same size and time of change."""


class Opened:
    """An open regular file. Its identity is size, time of change and (device, inode) at the moment of opening."""

    def __init__(self, path: str, file: BinaryIO) -> None:
        self.path = path
        self.file = file
        self._before = _identity(os.fstat(file.fileno()))

    def check_unchanged(self) -> None:
        """Raises `NotAtRest` if what was read may differ from what lies at the path now.

        Raises:
            NotAtRest: the file has changed, has been replaced or has gone since it was opened.
        """
        try:
            after = (_identity(os.fstat(self.file.fileno())), _identity(os.stat(self.path)))
        except FileNotFoundError as error:
            raise NotAtRest(f"{self.path} vanished while it was read. Index again if it comes back.") from error
        if after != (self._before, self._before):
            raise NotAtRest(f"{self.path} changed while it was read. Index again when it is at rest.")


@contextmanager
def opened(path: str, real_path: str = "") -> Iterator[Opened]:
    """Opens a regular file; a link or pipe that took its place meanwhile neither blocks nor is read.

    Args:
        path: absolute path, as the user knows it.
        real_path: the path without links, as it was when the scan found the file; "" means as it is now.

    Raises:
        NotAtRest: it is no longer a regular file, or a link leads to it that did not exist before.
        OSError: it cannot be opened.
    """
    try:
        descriptor = _open_without_links(real_path or os.path.realpath(path))
    except OSError as error:
        if error.errno in _LINK:
            raise NotAtRest(
                f"{path} was replaced by a link, or a folder above it was, after it was found. Index again if that is meant."
            ) from error
        if error.errno == errno.ENXIO:
            raise _no_file(path) from error
        raise
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _no_file(path)
        yield Opened(path, file)


def _no_file(path: str) -> NotAtRest:
    return NotAtRest(f"{path} is no regular file any more. Index again without it.")


def _open_without_links(path: str) -> int:
    """Returns a descriptor of the file at an absolute path of which no part is a link.

    Raises:
        OSError: one of _LINK if a part is a link; ENXIO if it is no regular file; another one if it cannot be opened.
    """
    if hasattr(os, "O_NOFOLLOW_ANY"):
        return os.open(path, _READ | os.O_NOFOLLOW_ANY)  # macOS: one call that refuses a link in any part
    if os.open not in os.supports_dir_fd:
        return os.open(path, _READ)  # Windows, where it takes an administrator to make a link
    *folders, name = filter(None, path.split(os.sep))
    folder = os.open(os.sep, _FOLDER)
    try:
        for part in folders:
            below = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
            # Opening a device may have effects; for a socket the system raises the same error.
            raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), path)
        return os.open(name, _READ, dir_fd=folder)
    finally:
        os.close(folder)


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
