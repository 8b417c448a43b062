"""Writes the log file, which is private to its owner, limited in size, and never overwrites another file."""

from __future__ import annotations

import io
import logging
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from noderag_local.domain.errors import SettingsError
from noderag_local.system.disk.private_files import FILE_MODE, make_private_folder, open_private
from noderag_local.system.log.log_lines import NAMES

FIRST_LINE = "A log of noderag. Lines that begin with 'names:' may hold words of your notes."
"""Tells a log from a file that only has the same name."""
MAX_BYTES = 1_000_000
"""A file that reaches this size is renamed to NAME.1, that one to NAME.2, and so on."""
OLDER_FILES = 3


class LogFile(RotatingFileHandler):
    """Writes records to a file; several processes may write to the same one.

    Where two processes rename the file at the same moment, the lines of one of them can be lost.
    """

    def __init__(self, path: Path) -> None:
        """Opens a log; makes the file and its folder where they are missing.

        Raises:
            SettingsError: the file cannot be written, or there is a file of this name that is no log.
        """
        for one in files_of(path):
            _refuse_other_file(one)
        self.problem: OSError | None = None
        """Why a record could not be written; None where all were."""
        try:
            make_private_folder(path.parent)
            super().__init__(path, maxBytes=MAX_BYTES, backupCount=OLDER_FILES, encoding="utf-8")
        except OSError as error:
            raise SettingsError(
                f"The log {path} cannot be written: {error.strerror or error}. Name another file with --log or the setting "
                "log, or leave it out."
            ) from error

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a record; an error of the disk is remembered and not raised."""
        try:
            self._follow_renaming()
        except OSError as error:
            self.problem = error
        super().emit(record)

    def close(self) -> None:
        """Closes the file; an error of the disk is remembered and not raised."""
        try:
            super().close()
        except OSError as error:
            self.problem = error

    def handleError(self, record: logging.LogRecord) -> None:
        """Remembers an error of the disk; leaves any other error to `logging`."""
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self.problem = error
        else:
            super().handleError(record)

    def _open(self) -> io.TextIOWrapper:
        file = open_private(Path(self.baseFilename), "ab")
        found = os.fstat(file.fileno())
        stream = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace")
        if stat.S_ISREG(found.st_mode):
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), FILE_MODE)
            if found.st_size == 0:
                stream.write(FIRST_LINE + "\n")
        return stream

    def _follow_renaming(self) -> None:
        """Opens the file again if another process has renamed it."""
        if self.stream is None:
            return
        own = os.fstat(self.stream.fileno())
        try:
            is_own = os.path.samestat(own, os.stat(self.baseFilename))
        except OSError:
            is_own = False
        if not is_own:
            self.stream.close()
            # As `RotatingFileHandler` has it between two files.
            self.stream = None


def files_of(path: Path) -> list[Path]:
    """Returns the paths of a log and its older files, newest first, whether or not they exist."""
    return [path, *(path.with_name(f"{path.name}.{number}") for number in range(1, OLDER_FILES + 1))]


def is_log(path: Path) -> bool:
    """Returns whether a file was written as a log.

    Raises:
        OSError: it cannot be read.
    """
    start = FIRST_LINE.encode() + b"\n"
    with path.open("rb") as file:
        return file.read(len(start)) == start


def _refuse_other_file(path: Path) -> None:
    with suppress(OSError):  # opening it tells what is wrong
        if path.is_file() and path.stat().st_size and not is_log(path):
            raise SettingsError(f"{path} is there already and is no log of noderag. Name another file for the log.")


_HEAD = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (?P<level>[A-Z]+) +\d+ [\w.]+: ")
_BEHIND = "    "
"""Begins the lines of a record behind the first one."""
_OF_ERRORS = ("ERROR", "CRITICAL")


def last_records(path: Path, count: int) -> list[str]:
    """Returns the last records of a log, oldest first.

    Raises:
        OSError: the log cannot be read.
    """
    return list(_records(path))[-count:]


def last_errors(path: Path, count: int) -> list[str]:
    """Returns the last records about errors, oldest first; raises as `last_records`."""
    found = [record for record in _records(path) if (head := _HEAD.match(record)) and head["level"] in _OF_ERRORS]
    return found[-count:]


def _records(path: Path) -> Iterator[str]:
    record: list[str] = []
    for line in _lines(path):
        if _HEAD.match(line):
            if record:
                yield "\n".join(record)
            record = [line]
        elif record and line.startswith(_BEHIND) and not line.startswith(NAMES):
            record.append(line)
    if record:
        yield "\n".join(record)


def _lines(path: Path) -> Iterator[str]:
    for file in reversed(files_of(path)):
        # Somebody may have put another file in its place since.
        if file.is_file() and is_log(file):
            yield from file.read_text(encoding="utf-8", errors="replace").split("\n")
