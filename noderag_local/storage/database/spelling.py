"""Converts text and paths for rows: SQLite stores only valid UTF-8, while file systems and JSON escapes allow more."""

from __future__ import annotations

import os
import re

_SURROGATES = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """Returns `text` with lone surrogates, which come from JSON escapes, as U+FFFD; its length stays the same."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def path_value(path: str) -> str | bytes:
    """Returns a path as a row stores it: as bytes where the path is no valid UTF-8, so that no file is lost."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def path_of(value: str | bytes) -> str:
    """Returns the path from the value of `path_value`."""
    return value if isinstance(value, str) else os.fsdecode(value)
