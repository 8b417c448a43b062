"""Remembers which caches have been verified on this machine, so that a large one is not read whole at every start.

A cache that was verified once is trusted while the file system shows it unchanged: the same file, size, and times of change.
Programs can set a file's time of modification, but not its time of change. A file that was changed a moment before it was
verified could change again within the same tick of the clock, so only older files are remembered.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path

from noderag_local.storage.database.state_folder import cache_key, state_folder
from noderag_local.system.disk.private_files import make_private_folder, write_private

FOLDER_NAME = "verified"
LEAST_AGE_SECONDS = 2.0
"""Age of a file, by its time of change, from which on it is remembered; some file systems count in steps of two seconds."""


def is_verified(path: Path, status: os.stat_result, mac: bytes) -> bool:
    """Returns whether a cache was verified on this machine and has not changed since.

    Args:
        path: path of the cache.
        status: status of the open file.
        mac: MAC in the header of the file.
    """
    try:
        return bool(cache_key()) and _note_of(path).read_text() == _state(status, mac)
    except OSError:
        return False


def note_verified(path: Path, status: os.stat_result, mac: bytes) -> None:
    """Remembers that a cache was verified; does nothing if its file is too new or no folder can keep the note."""
    if time.time() - status.st_ctime < LEAST_AGE_SECONDS or not cache_key():
        return
    note = _note_of(path)
    with suppress(OSError):
        make_private_folder(note.parent)
        write_private(note, _state(status, mac))


def _note_of(path: Path) -> Path:
    # The name of a vault's folder may be private, too.
    name = hashlib.blake2b(os.fsencode(os.path.abspath(path)), key=cache_key(), digest_size=16).hexdigest()
    return state_folder() / FOLDER_NAME / name


def _state(status: os.stat_result, mac: bytes) -> str:
    numbers = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return " ".join((*map(str, numbers), mac.hex()))
