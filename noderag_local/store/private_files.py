"""Files of a vault are their owner's alone, whatever the umask says and whoever made them."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from noderag_local.store.on_disk import sync

FILE_MODE = 0o600
FOLDER_MODE = 0o700
OWN_NAMES = ("vault.*", "conversations.*", "*.arrays", "*.usearch", "*.links", "*.part")
"""Of all that noderag and its libraries write into the folder of a vault, backups apart."""


def make_private_folder(path: Path) -> None:
    """A folder, made with those above it where it is missing; one that is there keeps its mode.

    Raises:
        OSError: it cannot be made.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    for folder in missing:
        # A power cut that takes the folder's own name takes what is in it. Some network drives cannot do it.
        with suppress(OSError):
            sync(folder.parent)


def make_private_file(path: Path) -> None:
    """An empty file where there is none, before a library opens it and gives it a mode of its own.

    Raises:
        OSError: it cannot be made.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))


def copy_private(source: Path, target: Path) -> None:
    """Copies a file, and waits until the copy is on the disk; at no instant can others read it.

    Raises:
        OSError: one of the two cannot be used.
    """
    make_private_file(target)
    shutil.copyfile(source, target)
    sync(target)


def tighten(folder: Path) -> None:
    """Takes others' rights from the files of a vault, and from its folder where nothing else lies in it.

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
