"""A file that is open for reading, and whether it is still the file that was opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from noderag_local.errors import DocumentError


class NotAtRest(DocumentError):
    """A file is not any more what was opened; it may be so again in a moment, with the same size and time of change."""


class Opened:
    """An open regular file. Its identity is size, time of change and (device, inode) at the moment of opening."""

    def __init__(self, path: str, file: BinaryIO) -> None:
        self.path = path
        self.file = file
        self._before = _identity(os.fstat(file.fileno()))

    def check_unchanged(self) -> None:
        """Raise if what was read may not be what lies at the path now.

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
def opened(path: str) -> Iterator[Opened]:
    """Open a regular file; a pipe that took its place meanwhile neither blocks nor is read.

    Raises:
        NotAtRest: it is no regular file any more.
        OSError: it cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotAtRest(f"{path} is no regular file any more. Index again without it.")
        yield Opened(path, file)


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
