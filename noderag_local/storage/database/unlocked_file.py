"""Notices that a database which is read without locks was changed from elsewhere.

In a folder that this process cannot write to, such as a read-only share, SQLite cannot make the files by which readers and writers
know of each other. Another machine may write there all the same. A reader therefore notes the state of the file and of its
write-ahead log when it opens them, and compares it after each query: rows of a file that changed meanwhile are never used.

SQLite's documentation says when that is enough: wal.html, "Read-Only Databases", and uri.html, "immutable". While the log only
grows, the file itself stays as it is. A checkpoint changes the file, and with it its time; a log that begins anew has another header.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_HEADER_BYTES = 32
"""Size of a log's header, whose salts change whenever the log begins anew."""


class FileState(NamedTuple):
    """State of a database and its write-ahead log."""

    file: tuple[int, int, int, int]
    """Device, number, size in bytes and time of the last change in nanoseconds of the file."""
    log_header: bytes
    """First bytes of the log; b"" if there is none, or an empty one."""
    log_bytes: int

    def is_torn(self, now: FileState) -> bool:
        """Returns whether rows that were read since this state may be partly of another one.

        Args:
            now: state after reading.
        """
        return self.file != now.file or self.log_header not in (b"", now.log_header)


def is_writable(folder: Path) -> bool:
    """Returns whether this process may write files into a folder; False on a read-only medium."""
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def state_of(path: Path) -> FileState:
    """Returns the state of a database that no connection of this process holds a lock on.

    Raises:
        OSError: the file cannot be read.
    """
    # Opened and not only looked at, because a network file system asks the server about a file when it is opened. Closing a file
    # drops the locks of the whole process, of which there are none here.
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
    try:
        with path.with_name(f"{path.name}-wal").open("rb") as log:
            header, log_bytes = log.read(_HEADER_BYTES), os.fstat(log.fileno()).st_size
    except FileNotFoundError:
        header, log_bytes = b"", 0
    return FileState((status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns), header, log_bytes)
