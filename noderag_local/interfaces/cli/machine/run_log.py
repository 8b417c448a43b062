"""Starts and ends the log of one run of `noderag`."""

from __future__ import annotations

import logging
import platform
import time
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.interfaces.cli.failures import say
from noderag_local.system.log.log_lines import Term
from noderag_local.system.log.running import start_log, stop_log
from noderag_local.system.paths import absolute

if TYPE_CHECKING:
    from noderag_local.config import Settings

_log = logging.getLogger(__name__)


def start_log_of(settings: Settings, command: str, *, names: bool = False) -> None:
    """Starts the log if the settings name a file for it.

    Args:
        settings: settings with the path of the log.
        command: the command and the names of its given options, without their values.
        names: whether --log-names was given.

    Raises:
        SettingsError: the file cannot be written, or is not a log.
    """
    if not settings.log:
        return
    from noderag_local import __version__

    start_log(absolute(Path(settings.log)), names=names or settings.log_names)
    about = (__version__, platform.python_version(), platform.system(), platform.machine(), command)
    _log.info("noderag %s, Python %s, %s %s: %s", *map(Term, about))


def end_log(code: int, started: float) -> None:
    """Logs how the run ended and closes its log, if there is one.

    Args:
        code: exit code of the run.
        started: reading of `time.monotonic` when the run began.
    """
    _log.info("ended with exit code %d after %.2f s", code, time.monotonic() - started)
    problem = stop_log()
    if problem is not None:
        say(
            f"The log is not complete: {problem.strerror or problem}. Free some space, or name another file with --log."
        )
