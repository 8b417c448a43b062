"""Lines about an exception: its class and where it happened, but not its message."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from traceback import walk_tb
from typing import NamedTuple

from noderag_local.domain.errors import NoderagError

FIRST_PLACES, LAST_PLACES = 10, 30
"""Number of places that are kept of a long traceback, such as an endless recursion."""
MOST_FAILURES = 10
"""Most exceptions that are written of one chain or group."""


class FailureLine(NamedTuple):
    """A line about an exception."""

    said: str
    message: str = ""
    """The exception's message, which may quote file names and texts; "" for a line about a place."""


def failure_lines(error: BaseException) -> Iterator[FailureLine]:
    """Returns lines for the exception and its places, outermost first, then for the exceptions that caused it."""
    for number, (how, one) in enumerate(_chain(error, set())):
        if number == MOST_FAILURES:
            yield FailureLine("and more exceptions")
            return
        yield FailureLine(how + _kind(one), str(one))
        yield from map(FailureLine, _places(one))


def _chain(error: BaseException, seen: set[int], how: str = "") -> Iterator[tuple[str, BaseException]]:
    if id(error) in seen:
        return
    seen.add(id(error))
    yield how, error
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _chain(one, seen, "in the group: ")
    if error.__cause__ is not None:
        yield from _chain(error.__cause__, seen, "caused by ")
    elif error.__context__ is not None and not error.__suppress_context__:
        yield from _chain(error.__context__, seen, "while handling ")


def _kind(error: BaseException) -> str:
    """Returns the class, with the code of an error of the system or of SQLite."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    match error:
        case NoderagError():
            return f"{name}, exit code {error.exit_code}"
        case OSError(errno=int() as number):
            return f"{name}, {errno.errorcode.get(number, number)}"
    code = getattr(error, "sqlite_errorcode", None)
    return f"{name}, SQLite's error {code}" if isinstance(code, int) else name


def _places(error: BaseException) -> Iterator[str]:
    """Returns the modules that an error passed, and not their files: a path shows where the program is installed."""
    places = [
        f"  {frame.f_globals.get('__name__', 'unknown')}:{line} in {frame.f_code.co_qualname}"
        for frame, line in walk_tb(error.__traceback__)
    ]
    left_out = len(places) - FIRST_PLACES - LAST_PLACES
    if left_out <= 0:
        yield from places
        return
    yield from places[:FIRST_PLACES]
    yield f"  … {left_out:,} places …"
    yield from places[-LAST_PLACES:]
