"""Makes new files and folders for exports, which only their owner can read; follows no links and replaces nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from noderag_local.domain.errors import SourceError
from noderag_local.system.disk.private_files import FILE_MODE, FOLDER_MODE, make_private_folder, remove_left, replacing

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


@contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """Opens a new file that gets its name once it is complete and on the disk; if the block fails, it is removed.

    Args:
        path: path of the file.
        force: whether a file or link of this name is replaced; the target of a link stays as it is.

    Raises:
        SourceError: there is something of this name already, or the file cannot be written.
    """
    with _told_plainly(path):
        _check_free(path, force)
        remove_left(path)
        with replacing(path, only_new=not force) as file:
            yield file


class NewFolder:
    """A folder that files are written into; its subfolders are never links."""

    def __init__(self, path: Path, *, force: bool) -> None:
        """Makes the folder.

        Args:
            path: path of the folder.
            force: whether the folder may already contain files; those of the same names are replaced, all others stay.

        Raises:
            SourceError: the folder is not empty, is a link or a file, or cannot be made.
        """
        self.path, self._force = path, force
        with _told_plainly(path):
            make_private_folder(path)
            if path.is_symlink():
                raise SourceError(f"{path} is a link to another place. Name the folder itself.")
            if not force and any(path.iterdir()):
                raise SourceError(
                    f"{path} holds something already. Name a new folder, or replace files of the same names in it with --force."
                )

    def write(self, name: str, content: bytes, *, within: str = "", executable: bool = False) -> None:
        """Writes a file; `name` and `within`, a folder in this one, are single names.

        Raises:
            SourceError: the file cannot be written, or exists and `force` is False.
        """
        with self.new(name, within=within, executable=executable) as file:
            file.write(content)

    @contextmanager
    def new(self, name: str, *, within: str = "", executable: bool = False) -> Iterator[BinaryIO]:
        """Opens a file for writing piece by piece; otherwise like `write`."""
        path = self.path / within / name
        with _told_plainly(path):
            folder = self._opened(within)
            try:
                if self._force:
                    with suppress(FileNotFoundError):
                        os.unlink(name, dir_fd=folder)
                descriptor = os.open(name, _CREATE, FOLDER_MODE if executable else FILE_MODE, dir_fd=folder)
            finally:
                os.close(folder)
            with open(descriptor, "wb") as file:
                yield file

    def _opened(self, within: str) -> int:
        if not within:
            return os.open(self.path, _FOLDER)
        above = os.open(self.path, _FOLDER)
        try:
            with suppress(FileExistsError):
                os.mkdir(within, FOLDER_MODE, dir_fd=above)
            return os.open(within, _FOLDER, dir_fd=above)
        finally:
            os.close(above)


def _check_free(path: Path, force: bool) -> None:
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return
    if not force:
        raise SourceError(f"{path} is there already. Name another file, or replace this one with --force.")
    if stat.S_ISDIR(there.st_mode):
        raise SourceError(f"{path} is a folder. Name a file.")


@contextmanager
def _told_plainly(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        named = error.filename if isinstance(error.filename, str) and os.path.isabs(error.filename) else path
        raise SourceError(
            f"{named} cannot be written: {error.strerror or error}. Name another place, or make room."
        ) from error
