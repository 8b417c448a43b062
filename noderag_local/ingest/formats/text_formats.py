"""Text formats, one file each; the suffix of a file's name decides.

What neither a reader nor `ingest.formats` claims is read as plain text. Readers are named here and imported where they
work: in the reading process.
"""

from __future__ import annotations

import os

from noderag_local.ingest.formats import registry

_PLAIN, _RECORDS, _LINES = "plain", "jsonl", "text_lines"
_BY_SUFFIX = {".md": "markdown", ".markdown": "markdown", ".txt": _PLAIN, ".text": _PLAIN, ".jsonl": _RECORDS}
VERSIONS = {"markdown": 1, _PLAIN: 1, _RECORDS: 1, _LINES: 1}
"""One goes up when the reader makes other documents of the same file: files that an older one read are read again."""
SUFFIXES = registry.SUFFIXES | _BY_SUFFIX.keys()
"""Suffixes of all files that a scan of a folder takes."""


def is_note(path: str) -> bool:
    """Whether the name of a file is that of a text or note, which programs show and do not run."""
    return os.path.splitext(path)[1].lower() in _BY_SUFFIX


def text_module_of(path: str, *, by_lines: bool) -> str:
    """Full name of the module that reads a file of text.

    Args:
        path: its suffix decides, in any case of letters.
        by_lines: each line of a text file is a document; JSON Lines are so anyway.
    """
    name = _BY_SUFFIX.get(os.path.splitext(path)[1].lower(), _PLAIN)
    return f"{__package__}.text.{_LINES if by_lines and name != _RECORDS else name}"


def has_record_a_line(module: str) -> bool:
    """Whether the reader of this full name makes each line of a file a document."""
    return module.rpartition(".")[2] in (_RECORDS, _LINES)
