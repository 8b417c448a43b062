"""Finds the user's folder for data about this machine only, and keeps a random key there."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import platformdirs

from noderag_local.system.disk.private_files import make_private_folder, write_private

STATE_VARIABLE = "NODERAG_STATE"
"""Environment variable that names another folder in place of the desktop's default."""
KEY_BYTES = 32

_KEY_NAME = "cache.key"


def state_folder() -> Path:
    """Returns the folder, which may not exist."""
    named = os.environ.get(STATE_VARIABLE)
    return Path(named) if named else Path(platformdirs.user_state_dir("noderag"))


def cache_key() -> bytes:
    """Returns a random key that stays on this machine; a cache with a MAC by this key was written here.

    Returns b"" if no folder can keep a key; then caches are trusted even if another machine made them.
    """
    return _kept_key(state_folder() / _KEY_NAME)


@cache
def _kept_key(path: Path) -> bytes:
    try:
        return _read(path) or _made(path)
    except OSError:
        return b""


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return b""
    return content if len(content) == KEY_BYTES else b""


def _made(path: Path) -> bytes:
    make_private_folder(path.parent)
    write_private(path, os.urandom(KEY_BYTES))
    # Two processes may have made a key at once; the last one stays.
    return _read(path)
