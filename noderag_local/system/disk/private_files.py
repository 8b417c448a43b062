"""Makes all files and folders of noderag, private to their owner from the start, whatever the umask is.

tests/hostile/test_private_files.py finds every call that makes a file in another way.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Literal

from noderag_local.system.disk.held_file import held, taken_if_left
from noderag_local.system.disk.on_disk import sync, wipe

FILE_MODE = 0o600
FOLDER_MODE = 0o700
UNFINISHED = ".part"
"""Ending of the name of a file that is being written; a killed process leaves such a file."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EPERM}
"""Errors that occur if a file system cannot sync a folder, or if a folder can be written but not read."""
_LONGEST_BYTES = 200
"""Maximal bytes of the final name within the name of an unfinished file; file systems allow 255 in all."""


def make_private_folder(path: Path) -> None:
    """Makes a folder and the missing folders above it; an existing folder keeps its mode.

    Raises:
        OSError: the folder cannot be made.
    """
    missing = []
    for folder in (path, *path.parents):
        if folder.exists():
            break
        missing.append(folder)
    for folder in reversed(missing):
        # Not with `parents=True`, which gives the folders above a mode by the umask.
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        # If a power cut loses the folder's name, its files are lost, too.
        _sync_names(folder.parent)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def make_private_file(path: Path) -> None:
    """Makes an empty private file if it does not exist, before a library would make it with another mode.

    An existing file is not even opened: closing it would drop all locks that this process holds on it. SQLite in another process
    would then take a database that is in use here for its own, and remove the log beside it.

    Raises:
        OSError: the file cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))


def open_private(path: Path, mode: Literal["ab", "ab+", "wb", "wb+"], buffering: int = -1) -> BinaryIO:
    """Opens a file for writing piece by piece; an existing file keeps its mode.

    Args:
        path: path of the file.
        mode: as for Python's `open`.
        buffering: as for Python's `open`.

    Raises:
        OSError: the file cannot be opened.
    """
    return open(path, mode, buffering=buffering, opener=_opened)


@contextmanager
def new_private(path: Path) -> Iterator[BinaryIO]:
    """Opens a new file under an unused name; the file is on the disk after the block has ended.

    Raises:
        FileExistsError: something has the name.
        OSError: the file cannot be written; then it is removed.
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
    """Opens a file that gets its name, and replaces a file of that name, once it is complete and on the disk.

    If the block fails, nothing changes. A link of that name is replaced, but not its target.

    Args:
        path: path of the file.
        only_new: whether to fail if the name is taken.

    Raises:
        FileExistsError: `only_new` is True and the name is taken.
        OSError: the file cannot be written; then the old one stays.
    """
    if only_new and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    unfinished = path.with_name(f"{_shortened(path.name)}.{os.getpid()}-{token_hex(4)}{UNFINISHED}")
    with ExitStack() as until_renamed:
        with _named(path), new_private(unfinished) as file:
            # Until it has its name: `remove_left` would take the finished file for one that a killed process left.
            until_renamed.enter_context(held(file))
            yield file
        _rename(unfinished, path, only_new=only_new)
    _sync_names(path.parent)


def _rename(unfinished: Path, path: Path, *, only_new: bool) -> None:
    try:
        if only_new:
            # Takes the name, or fails if it was taken meanwhile.
            os.close(os.open(path, _NEW, FILE_MODE))
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def remove_left(path: Path) -> None:
    """Overwrites and removes what killed processes left of a file that they wrote by `replacing`: it may hold all notes."""
    unfinished = re.compile(rf"{re.escape(_shortened(path.name))}\.\d+-[0-9a-f]{{8}}{re.escape(UNFINISHED)}")
    with suppress(OSError):
        for name in os.listdir(path.parent):
            if unfinished.fullmatch(name):
                with taken_if_left(path.with_name(name)) as is_left:
                    if is_left:
                        wipe(path.with_name(name))


def write_private(path: Path, content: bytes | str) -> None:
    """Writes a whole file in one step and replaces an older one. Text is written as UTF-8.

    Raises:
        OSError: it cannot be written; then the old one stays.
    """
    with replacing(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def copy_private(source: Path, target: Path) -> None:
    """Copies a file and waits until the copy is on the disk; only the owner can ever read it.

    Raises:
        OSError: one of the two files cannot be read or written.
    """
    make_private_file(target)
    shutil.copyfile(source, target)
    sync(target)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Replaces the name of an unfinished file in errors by the file's final name."""
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
