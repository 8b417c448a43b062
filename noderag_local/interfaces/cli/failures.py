"""Reports errors of a command: one block on stderr, or one JSON document on stdout."""

from __future__ import annotations

import sys

from noderag_local.system.printing.plain_text import printable

BUG = 70
"""Exit code for errors that no one foresaw (EX_SOFTWARE of sysexits.h)."""

STOPPED = 130
"""Exit code after Ctrl-C, as shells give it."""


def say(text: str) -> None:
    """Prints a line on stderr, for the person at the terminal; only results go to stdout."""
    print(printable(text), file=sys.stderr, flush=True)


def report_known(error: Exception, as_json: bool, *, message: str = "", code: int | None = None) -> int:
    """Reports an error whose message says what to do.

    Args:
        error: a NoderagError, or one of the command line parser.
        as_json: prints it as one JSON document on stdout; else as a line on stderr.
        message: to print instead of the error's own text.
        code: the exit code, where the error has none of its own.

    Returns:
        the exit code.
    """
    text = message or str(error)
    if as_json:
        from noderag_local.interfaces.cli.json_output import print_error

        print_error(type(error).__name__, text)
    else:
        say(f"Error: {text}")
    return code if code is not None else int(getattr(error, "exit_code", 1))


def report_bug(error: Exception, as_json: bool) -> int:
    """Reports an unforeseen error, and what to send to those who can fix it."""
    text = (
        f"noderag failed in a way that it should not: {type(error).__name__}: {error}. What was indexed before is kept. "
        "Please report it: run the same command with --log noderag.log, then `noderag doctor --report --log noderag.log`, "
        "which shows what it writes and has no word of your notes. `noderag --debug …` shows the error here."
    )
    return report_known(error, as_json, message=text, code=BUG)
