"""Tells whether the program's files have changed since a process started."""

from __future__ import annotations

import os
import sys

import noderag_local

_CACHE = "__pycache__"
"""Python writes it beside a module that is imported for the first time, which changes nothing."""

Entries = frozenset[tuple[str, int, int]]


class CodeStamp:
    """Keeps which files stood in the program's folders, and in those that Python imports from, when a process started."""

    def __init__(self) -> None:
        program = [
            folder
            for folder, _, _ in os.walk(os.path.dirname(noderag_local.__file__))
            if os.path.basename(folder) != _CACHE
        ]
        # pip makes and removes entries in the folders that Python imports from.
        self._entries = {folder: _entries(folder) for folder in (*sys.path, *program)}
        self._times = {folder: _time(folder) for folder in self._entries}

    def is_replaced(self) -> bool:
        """Returns whether files were added, removed or replaced, as pip and git do.

        Takes a fraction of a millisecond, since only folders whose time has changed are read.
        """
        for folder, before in self._times.items():
            now = _time(folder)
            if now == before:
                continue
            if _entries(folder) != self._entries[folder]:
                return True
            self._times[folder] = now
        return False

    def is_changed(self) -> bool:
        """Returns whether anything differs, also what an editor wrote into a file; takes some milliseconds."""
        return any(_entries(folder) != entries for folder, entries in self._entries.items())


def _entries(folder: str) -> Entries:
    """Returns name, bytes and time of each file in a folder, and the names of the folders in it."""
    try:
        with os.scandir(folder) as found:
            return frozenset(_stamp(entry) for entry in found if entry.name != _CACHE)
    except OSError:
        return frozenset()


def _stamp(entry: os.DirEntry[str]) -> tuple[str, int, int]:
    try:
        if not entry.is_dir():
            status = entry.stat()
            return entry.name, status.st_size, status.st_mtime_ns
    except OSError:
        # Such as a link whose target is missing.
        pass
    return entry.name, 0, 0


def _time(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
