"""The end of a log for a bug report, without the lines that may contain names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from noderag_local.system.log.log_file import files_of, is_log
from noderag_local.system.log.log_lines import NAMES

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
