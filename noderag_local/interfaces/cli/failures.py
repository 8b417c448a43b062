"""Reports errors of a command: one block on stderr, or one JSON document on stdout."""

from __future__ import annotations

import sys

from noderag_local.system.printing.plain_text import printable

BUG = 70
"""Exit code of unexpected errors (EX_SOFTWARE of sysexits.h)."""

STOPPED = 130
"""Exit code after Ctrl-C, the same as in shells."""

NO_READER = 141
"""Exit code when the reader of a pipe has left, the one that shells give a program that SIGPIPE ended. It is not 0, since a
command that was to write more, such as `noderag index ~/notes 2>&1 | head -1`, was ended before its work was done."""


def say(text: str) -> None:
    """Prints a line on stderr; stdout is only for results."""
    print(printable(text), file=sys.stderr, flush=True)


def report_known(error: Exception, as_json: bool, *, message: str = "", code: int | None = None) -> int:
    """Prints an error that the user can fix, and returns the exit code.

    Args:
        error: a NoderagError or an error of the command line parser.
        as_json: True prints it as a JSON document on stdout, False as a line on stderr.
        message: text to print instead of the error's own.
        code: exit code to use instead of the error's own.

    Returns:
        The exit code.
    """
    text = message or str(error)
    if as_json:
        from noderag_local.interfaces.cli.json_output import print_error

        print_error(type(error).__name__, text)
    else:
        say(f"Error: {text}")
    return code if code is not None else int(getattr(error, "exit_code", 1))


def report_bug(error: Exception, as_json: bool) -> int:
    """Prints an unexpected error with instructions for reporting it."""
    text = (
        f"noderag failed because of a bug: {type(error).__name__}: {error}. What was indexed before is kept. "
        "Please report it: run the same command with --log noderag.log, then `noderag doctor --report --log noderag.log`, "
        "which shows what it writes and contains no text of your notes. `noderag --debug …` shows the error here."
    )
    return report_known(error, as_json, message=text, code=BUG)
