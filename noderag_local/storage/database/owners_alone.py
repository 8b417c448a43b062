"""Makes the files of a vault private to their owner."""

from __future__ import annotations

import stat
from pathlib import Path

from noderag_local.system.disk.private_files import FILE_MODE, FOLDER_MODE

OWN_NAMES = ("vault.*", "conversations.*", "*.arrays", "*.usearch", "*.links", "*.part")
"""Patterns of all files that noderag and its libraries write into a vault's folder, backups apart."""


def tighten(folder: Path) -> None:
    """Removes the rights of other users on the files of a vault, and on its folder where it contains nothing else.

    What belongs to somebody else, or lies on a file system without modes, stays as it is.
    """
    own = {path for pattern in OWN_NAMES for path in folder.glob(pattern)}
    for path in own:
        _restrict(path, FILE_MODE)
    if all(path in own or path.name == "backups" for path in folder.iterdir()):
        _restrict(folder, FOLDER_MODE)


def _restrict(path: Path, mode: int) -> None:
    try:
        status = path.lstat()
        is_plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        if is_plain and status.st_mode & 0o077:
            path.chmod(mode)
    except OSError:
        return
