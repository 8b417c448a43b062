"""Runs a command line and returns an exit code for every way it can end."""

from __future__ import annotations

import logging
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from noderag_local.domain.errors import NoderagError, OfflineViolation, SourceError
from noderag_local.interfaces.cli.failures import BUG, NO_READER, STOPPED, report_bug, report_known, say
from noderag_local.interfaces.cli.machine.run_log import end_log, start_log_of
from noderag_local.system import offline
from noderag_local.system.disk.current_folder import current_folder

if TYPE_CHECKING:
    from typer import TyperException
    from typer.core import TyperGroup

    from noderag_local.config import Settings

    OpenInterface = Callable[[Settings], int]

_log = logging.getLogger(__name__)


def run(arguments: Sequence[str], open_interface: OpenInterface | None = None) -> int:
    """Runs `noderag` with these arguments.

    Args:
        arguments: arguments after `noderag`.
        open_interface: opens the terminal interface and returns its exit code when it is left; called if there are no
            arguments. None, without a terminal, prints the help instead.

    Returns:
        The exit code: 0, that of a NoderagError, 2 for wrong usage, 70 for a bug, 130 after Ctrl-C, 141 if the reader of a pipe
        has left.
    """
    _set_up_streams()
    started = time.monotonic()
    code = BUG
    try:
        code = _run(arguments, open_interface)
        # Here rather than by Python at its exit, which would complain of a reader that has left.
        sys.stdout.flush()
    except BrokenPipeError:
        code = _reader_left()
    except KeyboardInterrupt:
        code = STOPPED
    except SystemExit as end:
        # typer and rich end the process themselves when they find that the reader has left.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        code = _reader_left()
    finally:
        end_log(code, started)
    return code


def _run(arguments: Sequence[str], open_interface: OpenInterface | None) -> int:
    as_json = "--json" in arguments
    try:
        if open_interface and not arguments:
            code = _open(open_interface)
        else:
            code = _invoke(arguments, as_json, open_interface)
    except NoderagError as error:
        _log.error("the command could not do what was asked", exc_info=error)
        code = report_known(error, as_json)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the last place that can tell the user
        _log.critical("an error that no one foresaw", exc_info=error)
        if "--debug" in arguments:
            traceback.print_exc()
        code = _reported(error, as_json)
    return _refused_connections(code)


def _open(open_interface: OpenInterface) -> int:
    """Opens the interface without the parser, whose import would delay the first screen."""
    from noderag_local.config import load_settings

    settings = load_settings()
    start_log_of(settings, "noderag")
    return open_interface(settings)


def _invoke(arguments: Sequence[str], as_json: bool, open_interface: OpenInterface | None) -> int:
    import typer
    from typer._completion_classes import completion_init

    from noderag_local.interfaces.cli.machine.completion_command import ASKED_BY_SHELL

    command = _parser()
    if ASKED_BY_SHELL in os.environ:
        # typer tells the shell what fits, and ends the process.
        completion_init()
    try:
        # Not in standalone mode, in which typer prints errors its own way and ends the process.
        code = command.main(args=list(arguments), prog_name="noderag", standalone_mode=False, obj=open_interface)
    except typer.TyperException as error:
        return _wrong_usage(error, as_json)
    except typer.Abort:
        code = STOPPED
    code = code if isinstance(code, int) else 0
    if code == STOPPED:
        say("Stopped.")
    return code


@cache
def _parser() -> TyperGroup:
    """Returns the parser of all commands; making it takes 25 ms, which the resident process spends once."""
    from typer.main import get_group

    from noderag_local.interfaces.cli.command_app import app

    return get_group(app)


def _wrong_usage(error: TyperException, as_json: bool) -> int:
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError" and not as_json:
        # For `noderag` without arguments, the message is the whole help page.
        say(message)
        return error.exit_code
    context = getattr(error, "ctx", None)
    if context is not None:
        message += f"\nHow it is used: {context.command_path} --help"
    return report_known(error, as_json, message=message, code=error.exit_code)


def _refused_connections(code: int) -> int:
    """Returns the exit code of OfflineViolation if a connection was refused but a library hid the error."""
    refused = offline.violations()
    if refused and code != OfflineViolation.exit_code:
        try:
            offline.raise_for_violations()
        except OfflineViolation as error:
            # On stderr, since stdout may already contain a document.
            return report_known(error, as_json=False)
    return code


def _reported(error: Exception, as_json: bool) -> int:
    if isinstance(error, FileNotFoundError):
        try:
            current_folder()
        except SourceError as gone:
            return report_known(gone, as_json)
    return report_bug(error, as_json)


def _reader_left() -> int:
    """Silences the streams after the reader of a pipe has left, so that Python does not complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())
    return NO_READER


def _set_up_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a character shows its number instead of failing.
            stream.reconfigure(errors="backslashreplace")
