"""The version of reading: the reader of a file, and how its sentences and chunks are cut.

Where one of these has another version than the one that read a file, the file is read again. The numbers are kept by hand, since
most changes of a module change no document; `tests/ingest/test_reading_version.py` fails where one did and its number stayed.
"""

from __future__ import annotations

from noderag_local.ingest.chunks import packing
from noderag_local.ingest.formats.registry import format_of
from noderag_local.storage.documents.file_rows import KnownFile

SENTENCES = 3
"""Goes up when sentences are cut, or their texts cleaned, in another way."""


SCANS = 1
"""Goes up when the text in pictures is read in another way."""
_WITH_SCANS = " with scans "


def reading_version(path: str, by_lines: bool, *, is_scan: bool = False) -> str:
    """How a file is read by this version of the program: "pdf 2, sentences 1, chunks 250-350".

    Args:
        path: path of the file.
        by_lines: whether each line of a text is a document.
        is_scan: whether the slow reader reads it: "pdf 2 with scans 1, sentences 1, chunks 250-350".
    """
    known = format_of(path, by_lines=by_lines)
    size = packing.DEFAULT_SIZE
    scans = f"{_WITH_SCANS}{SCANS}" if is_scan else ""
    return f"{known.name} {known.version}{scans}, sentences {SENTENCES}, chunks {size.minimum}-{size.maximum}"


def is_outdated(known: KnownFile) -> bool:
    """Returns whether this version of the program would read a file in another way than it was read."""
    is_scan = _WITH_SCANS in known.read_by
    return (known.read_by or _first(known)) != reading_version(known.path, known.by_lines, is_scan=is_scan)


def _first(known: KnownFile) -> str:
    """Returns the version of files that were read before versions were noted."""
    return f"{format_of(known.path, by_lines=known.by_lines).name} 1, sentences 1, chunks 250-350"
