"""How text and paths are spelled in rows: SQLite takes valid UTF-8 alone, file systems and JSON escapes give more."""

from __future__ import annotations

import os
import re

_SURROGATES = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """`text` with lone surrogates, which a JSON escape can bring in, as U+FFFD; its length stays."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def path_value(path: str) -> str | bytes:
    """A path as a row has it: the bytes of the file system where they are no UTF-8, so that no file is lost."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def path_of(value: str | bytes) -> str:
    """The path that `path_value` gave."""
    return value if isinstance(value, str) else os.fsdecode(value)
