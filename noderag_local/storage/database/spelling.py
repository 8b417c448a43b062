"""Converts texts and paths to values that SQLite can store, because paths and JSON escapes may not be valid UTF-8."""

from __future__ import annotations

import os
import re

_SURROGATES = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """Returns `text` with lone surrogates, which JSON escapes can produce, replaced by U+FFFD; its length stays the same."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def path_value(path: str) -> str | bytes:
    """Returns a path as a row stores it: as bytes if the path is not valid UTF-8, else as text."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def path_of(value: str | bytes) -> str:
    """Returns the path that `path_value` converted."""
    return value if isinstance(value, str) else os.fsdecode(value)
