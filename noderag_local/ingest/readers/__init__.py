"""Text formats, one file each; the suffix of a file's name decides. What neither a reader nor `ingest.formats` claims is
read as plain text."""

from __future__ import annotations

import os

from noderag_local.ingest import formats
from noderag_local.ingest.readers import jsonl, lines, markdown, plain
from noderag_local.ingest.readers.reader import Reader

_BY_SUFFIX: dict[str, Reader] = {
    ".md": markdown.READER,
    ".markdown": markdown.READER,
    ".txt": plain.READER,
    ".text": plain.READER,
    ".jsonl": jsonl.READER,
}
SUFFIXES = formats.SUFFIXES | _BY_SUFFIX.keys()
"""Of all files that a scan of a folder takes."""


def reader_for(path: str, *, by_lines: bool) -> Reader:
    """The reader of a file of text.

    Args:
        path: its suffix decides, in any case of letters.
        by_lines: each line of a text file is a document; JSON Lines are so anyway.
    """
    reader = _BY_SUFFIX.get(os.path.splitext(path)[1].lower(), plain.READER)
    return lines.READER if by_lines and reader is not jsonl.READER else reader
