"""The only place where files and folders are made: private to their owner from the first instant, whatever the umask is.

tests/hostile/test_private_files.py finds every call that makes one in another way.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Literal

from noderag_local.system.disk.on_disk import sync

FILE_MODE = 0o600
FOLDER_MODE = 0o700
UNFINISHED = ".part"
"""Ends the name of a file that is being written; a killed process leaves one."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EPERM}
"""Errors of file systems that cannot sync the names in a folder, and of folders that may be written but not read."""
_LONGEST_BYTES = 200
"""Bytes of the file's own name that the name of the unfinished file keeps; file systems allow 255 in all."""


def make_private_folder(path: Path) -> None:
    """Makes a folder, and those above it where they are missing; one that is there keeps its mode.

    Raises:
        OSError: it cannot be made.
    """
    missing = []
    for folder in (path, *path.parents):
        if folder.exists():
            break
        missing.append(folder)
    for folder in reversed(missing):
        # Not by `parents=True`, which makes those above with the mode that the umask leaves.
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        # A power cut that takes the folder's own name takes what is in it.
        _sync_names(folder.parent)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def make_private_file(path: Path) -> None:
    """Makes an empty file where there is none, before a library opens it and gives it a mode of its own.

    Raises:
        OSError: it cannot be made.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))


def open_private(path: Path, mode: Literal["ab", "ab+", "wb", "wb+"], buffering: int = -1) -> BinaryIO:
    """Opens a file to write it piece by piece; an existing file keeps its mode.

    Args:
        path: path of the file.
        mode: as Python's `open`.
        buffering: as Python's `open`.

    Raises:
        OSError: it cannot be opened.
    """
    return open(path, mode, buffering=buffering, opener=_opened)


@contextmanager
def new_private(path: Path) -> Iterator[BinaryIO]:
    """Opens a file under an unused name; the file is on the disk once the block has ended.

    Raises:
        FileExistsError: something has the name.
        OSError: it cannot be written; then it is not there.
    """
    with os.fdopen(os.open(path, _NEW, FILE_MODE), "wb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                path.unlink()
            raise


@contextmanager
def replacing(path: Path, *, only_new: bool = False) -> Iterator[BinaryIO]:
    """Opens a file that replaces what has the name once it is whole and on the disk; if the block fails, nothing changes.

    A link that has the name is replaced, and its target stays.

    Args:
        path: path of the file.
        only_new: nothing may have the name.

    Raises:
        FileExistsError: something has the name, or takes it meanwhile, and `only_new`.
        OSError: it cannot be written; then the old one stays.
    """
    if only_new and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    unfinished = path.with_name(f"{_shortened(path.name)}.{os.getpid()}-{token_hex(4)}{UNFINISHED}")
    with _named(path), new_private(unfinished) as file:
        yield file
    try:
        if only_new:
            # Takes the name, or fails where somebody else has taken it meanwhile.
            os.close(os.open(path, _NEW, FILE_MODE))
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise
    _sync_names(path.parent)


def write_private(path: Path, content: bytes | str) -> None:
    """Writes a whole file in one step, in place of an older one. Text is written as UTF-8.

    Raises:
        OSError: it cannot be written; then the old one stays.
    """
    with replacing(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def copy_private(source: Path, target: Path) -> None:
    """Copies a file, and waits until the copy is on the disk; at no instant can others read it.

    Raises:
        OSError: one of the two cannot be used.
    """
    make_private_file(target)
    shutil.copyfile(source, target)
    sync(target)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Replaces, in errors, the name of the unfinished file by that of the file being written."""
    try:
        yield
    except OSError as error:
        if isinstance(error.filename, str) and error.filename.endswith(UNFINISHED):
            error.filename = str(path)
        raise


def _sync_names(folder: Path) -> None:
    try:
        sync(folder)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags, FILE_MODE)


def _shortened(name: str) -> str:
    return os.fsencode(name)[:_LONGEST_BYTES].decode(errors="ignore")
