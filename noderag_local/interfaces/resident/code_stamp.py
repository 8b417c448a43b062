"""Tells whether the program's files have changed since a process started."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import noderag_local

Stamp = tuple[tuple[int, int], ...]


class CodeStamp:
    """Sizes and times of the program's files and folders at the start of a process."""

    def __init__(self) -> None:
        walked = [
            (folder, names)
            for folder, _, names in os.walk(os.path.dirname(noderag_local.__file__))
            if os.path.basename(folder) != "__pycache__"
        ]
        # pip makes and removes entries in the folders that Python imports from.
        self._folders = [*sys.path, *(folder for folder, _ in walked)]
        self._files = [os.path.join(folder, name) for folder, names in walked for name in names]
        self._at_start = _stamp(self._folders), _stamp(self._files)

    def is_replaced(self) -> bool:
        """Whether files were added, removed or replaced, as pip and git do; takes a fraction of a millisecond."""
        return _stamp(self._folders) != self._at_start[0]

    def is_changed(self) -> bool:
        """Whether anything differs, also what an editor wrote into a file; takes some milliseconds."""
        return (_stamp(self._folders), _stamp(self._files)) != self._at_start


def _stamp(paths: Iterable[str]) -> Stamp:
    return tuple(_time(path) for path in paths)


def _time(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path or ".")
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns
