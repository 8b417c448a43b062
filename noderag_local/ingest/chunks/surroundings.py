"""Shows a cited passage in its file with some lines around it, so that an answer can be checked.

A file of a format other than text has no such lines; the passage is then shown in the text that the vault has of it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass

from noderag_local.domain.errors import DocumentError
from noderag_local.domain.passages import Source
from noderag_local.ingest.chunks.encodings import Encoding, decode_slice, detect
from noderag_local.ingest.chunks.file_parts import blocks_of
from noderag_local.ingest.formats.registry import format_of
from noderag_local.ingest.scan.opened_file import opened
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.system.printing.plain_text import printable

LINES = 30
"""Lines that are shown before and after the passage."""
WINDOW_BYTES = 16 * 1024
"""Bytes that are read before and after the passage, however long its lines are; a multiple of the widest character."""
LONGEST_BYTES = 256 * 1024
"""Largest size of a passage; a longer one cannot come from indexing."""
SAME_SHARE = 0.9
"""Minimal share of the stored words that the file must contain; some may differ, since readers remove markup."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A stretch of a file around a passage."""

    before: str
    """Whole lines before the passage, and the beginning of its first line."""
    cited: str
    after: str
    first_line: int
    """Number in the file of the line that `before`, or `cited` where that is empty, begins with; 0 where it has none."""


def is_cut_from_file(source: Source) -> bool:
    """Returns whether `surroundings` can show a source; if not, `stored_surroundings` can."""
    return format_of(source.path).is_text


def surroundings(source: Source, lines: int = LINES) -> Surroundings:
    """Reads the passage of a source, with the lines around it, from its file.

    Raises:
        DocumentError: the file is gone, cannot be read, or says something else there now.
    """
    try:
        with opened(source.path) as file:
            found = _placed(file.file.fileno(), source, detect(blocks_of(file.file)), lines)
    except DocumentError as error:
        raise _changed(source) from error
    except FileNotFoundError as error:
        raise DocumentError(f"{source.path} is gone. Below is what was indexed.") from error
    except OSError as error:
        raise DocumentError(
            f"{source.path} cannot be read: {error.strerror or error}. Below is what was indexed."
        ) from error
    if not _still_says(found.cited, source.text):
        raise _changed(source)
    return found


def stored_surroundings(store: Store, source: Source) -> Surroundings:
    """Returns the passage of a source in the text of its document as it was read, with the chunks around it.

    Raises:
        DocumentError: the document says something else there now, or is not in the vault any more.
    """
    start, end = source.start_byte, source.end_byte
    chunks = TextRows(store).chunks_between(source.path, source.record, start - WINDOW_BYTES, end + WINDOW_BYTES)
    if not chunks:
        raise _changed(source)
    base, text = chunks[0].start_byte, b""
    for chunk in chunks:
        # Between two chunks stood a space, or an empty line and more.
        gap = chunk.start_byte - base - len(text)
        text += (b" " if gap == 1 else b"\n" * gap) + chunk.text.encode("utf-8")
    before, cited, after = (
        part.decode("utf-8", "replace")
        for part in (text[: start - base], text[start - base : end - base], text[end - base :])
    )
    if not _still_says(cited, source.text):
        raise _changed(source)
    return Surroundings(before, cited, after, 0)


def _changed(source: Source) -> DocumentError:
    return DocumentError(
        f"{source.path} has changed since it was indexed. Index again to search what it says now. "
        "Below is what was indexed."
    )


def _placed(descriptor: int, source: Source, encoding: Encoding, lines: int) -> Surroundings:
    start, end = source.start_byte, min(source.end_byte, source.start_byte + LONGEST_BYTES)
    begin = max(encoding.mark_bytes, (start - WINDOW_BYTES) // 4 * 4)
    cited = _read(descriptor, start, end, encoding)
    recorded = _recorded(cited, source)
    if recorded is not None:
        return recorded
    before = _last_lines(_read(descriptor, begin, start, encoding), lines, whole=begin == encoding.mark_bytes)
    after = _first_lines(_read(descriptor, end, end + WINDOW_BYTES, encoding), lines)
    return Surroundings(before, cited, after, max(1, source.first_line - before.count("\n")))


def _read(descriptor: int, start: int, end: int, encoding: Encoding) -> str:
    return decode_slice(os.pread(descriptor, max(0, end - start), start), encoding.name)


def _recorded(line: str, source: Source) -> Surroundings | None:
    """Returns the passage in the text of its record of a JSON Lines file; None if the line is no such record."""
    if not source.path.lower().endswith(".jsonl"):
        return None
    try:
        text, cited = printable(json.loads(line)["text"]), printable(source.text)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    at = max(0, text.find(cited))
    end = at + len(cited) if cited in text else len(text)
    return Surroundings(text[:at], text[at:end], text[end:], source.first_line)


def _still_says(cited: str, stored: str) -> bool:
    # Hidden letters may stand within the words of the file, and are not stored.
    wanted, there = (set(_WORD.findall(printable(text).casefold())) for text in (stored, cited))
    return len(wanted & there) >= SAME_SHARE * len(wanted)


def _last_lines(text: str, lines: int, whole: bool) -> str:
    """Returns the last lines of a text, including the beginning of the passage's own line.

    Args:
        text: text before the passage.
        lines: number of whole lines.
        whole: whether the text begins where the file does; else its first line is only the end of one.
    """
    parts = text.split("\n")
    if not whole and len(parts) > 1:
        parts = parts[1:]
    return "\n".join(parts[-lines - 1 :])


def _first_lines(text: str, lines: int) -> str:
    return "\n".join(text.split("\n")[: lines + 1])
