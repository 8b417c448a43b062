"""Switches the log of this process on and off."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noderag_local.system.log.log_file import LogFile

_PACKAGE = __name__.partition(".")[0]
_log = logging.getLogger(__name__)

_written: LogFile | None = None


def start_log(path: Path, *, names: bool) -> None:
    """Writes a log of this process from now on; does nothing if one is being written.

    Args:
        path: absolute path of the log file.
        names: whether messages are written in full, with the file names and texts that they quote.

    Raises:
        SettingsError: the file cannot be written, or is no log.
    """
    global _written
    if _written is not None:
        return
    # Only where there is a log: what this loads takes as long as the rest of a command's start.
    from noderag_local.system.log.log_file import LogFile
    from noderag_local.system.log.log_lines import LineFormatter

    _written = LogFile(path)
    _written.setFormatter(LineFormatter(names=names))
    logging.getLogger().addHandler(_written)
    # Details are about single files, which say nothing without their names.
    logging.getLogger(_PACKAGE).setLevel(logging.DEBUG if names else logging.INFO)
    threading.excepthook = _thread_failed


def keep_off_error_output(*libraries: str) -> None:
    """Leaves messages of libraries to the log alone: the error output may be a pipe that nobody reads, which blocks when it is full."""
    for name in libraries:
        logging.getLogger(name).addHandler(logging.NullHandler())


def log_in_use() -> Path | None:
    """Returns the log file of this process; None if it writes no log."""
    return None if _written is None else Path(_written.baseFilename)


def stop_log() -> OSError | None:
    """Closes the log, if there is one.

    Returns:
        Why a part of the log could not be written; None if all of it was.
    """
    global _written
    if _written is None:
        return None
    closed, _written = _written, None
    threading.excepthook = threading.__excepthook__
    logging.getLogger(_PACKAGE).setLevel(logging.NOTSET)
    logging.getLogger().removeHandler(closed)
    closed.close()
    return closed.problem


def _thread_failed(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None and not isinstance(failed.exc_value, SystemExit):
        _log.error("a thread failed", exc_info=failed.exc_value)
    threading.__excepthook__(failed)
