"""Formats log records without any text of notes, questions, answers or file names.

A message is a constant of the program and is written as it is. Its arguments may be anything, so only numbers, members of
enumerations and what the program marks as a `Term` are written. An exception is written as its class and the lines of the
program that it passed. Its message is left out, since it often quotes a file name or a line of a note.

If the user asks for names, the full messages follow on separate lines that begin with NAMES. Without these lines the log is
free of names again.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from numbers import Number

from noderag_local.system.log.logged_failures import failure_lines
from noderag_local.system.printing.plain_text import printable


class Term(str):
    """A word of the program itself, such as the name of a stage or a method; never a word of a person or a file."""

    __slots__ = ()


NAMES = "    names: "
"""Begins each line that may hold words of notes, questions or file names."""
FULL_MESSAGE_CHARACTERS = 4_000
"""Most characters of a message that is written in full; a library may put a whole document into one."""

_PACKAGE = __name__.partition(".")[0]


class LineFormatter(logging.Formatter):
    """Formats records of this package and of libraries."""

    def __init__(self, *, names: bool) -> None:
        """Makes a formatter.

        Args:
            names: whether the full messages follow, with the file names and texts that they quote.
        """
        super().__init__()
        self._names = names

    def format(self, record: logging.LogRecord) -> str:
        """Returns the lines of a record, without a line end after the last one."""
        return "\n".join(self._lines(record))

    def _lines(self, record: logging.LogRecord) -> Iterator[str]:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        where, said = _without_names(record)
        yield f"{time} {record.levelname:<8} {os.getpid()} {where}: {said}"
        if self._names and (full := record.getMessage()) != said:
            yield from _named(full)
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            for line in failure_lines(error):
                yield f"    {line.said}"
                if self._names and line.message:
                    yield from _named(line.message)


def _without_names(record: logging.LogRecord) -> tuple[str, str]:
    """Returns a record's module and message without any names."""
    library = record.name.partition(".")[0]
    if library != _PACKAGE:
        # Libraries put names and texts into the message itself.
        return library, f"a message of line {record.lineno} in {record.module}"
    given = record.args or ()
    values = given if isinstance(given, tuple) else (given,)
    return record.name, record.msg % tuple(map(_sayable, values)) if values else record.msg


def _sayable(value: object) -> object:
    if isinstance(value, Term | Number | Enum) or value is None:
        return value
    return "[not logged]"


def _named(text: str) -> Iterator[str]:
    # Each line is marked, so that a line end in a file name cannot make a line that looks like another one.
    for line in printable(text[:FULL_MESSAGE_CHARACTERS]).splitlines():
        yield NAMES + line
