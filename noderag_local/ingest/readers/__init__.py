"""One file a format; the suffix of a file's name decides. What no reader claims by suffix is read as plain text."""

from __future__ import annotations

import os

from noderag_local.ingest.readers import jsonl, lines, markdown, plain
from noderag_local.ingest.readers.reader import Reader

_BY_SUFFIX: dict[str, Reader] = {
    ".md": markdown.READER,
    ".markdown": markdown.READER,
    ".txt": plain.READER,
    ".text": plain.READER,
    ".jsonl": jsonl.READER,
}
SUFFIXES = frozenset(_BY_SUFFIX)


def reader_for(path: str, *, by_lines: bool) -> Reader:
    """The reader of a file.

    Args:
        path: its suffix decides, in any case of letters.
        by_lines: each line of a text file is a document; JSON Lines are so anyway.
    """
    reader = _BY_SUFFIX.get(os.path.splitext(path)[1].lower(), plain.READER)
    return lines.READER if by_lines and reader is not jsonl.READER else reader
