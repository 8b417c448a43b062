"""Makes the rows of the library's table."""

from __future__ import annotations

import os
from dataclasses import dataclass

from noderag_local.domain.library import DocumentState, LibraryDocument
from noderag_local.ingest.formats.registry import known_format
from noderag_local.interfaces.tui.shared.terminal_text import from_home
from noderag_local.system.printing.plain_text import printable

LONGEST_NAME = 400
"""Maximum characters of a title or path that are processed: no screen is wider, and some titles are very long."""
NOTE_SUFFIXES = frozenset({"", ".md", ".markdown", ".txt", ".text"})


@dataclass(frozen=True, slots=True)
class Row:
    """A document as the table shows it, made once because the filter checks all rows at every key."""

    document: LibraryDocument
    state: str
    name: str
    """Title on one line, or the file name if there is none; with a number if the file has several documents."""
    folder: str
    searched: str
    """Casefolded text that a filter searches."""


def row_of(document: LibraryDocument) -> Row:
    """Returns the row of a document, with a name that is safe to print."""
    folder, file_name = os.path.split(document.path)
    title = _one_line(document.title)
    number = f" #{document.record + 1}" if document.of_records > 1 else ""
    name = f"{title}{_format_note(document.path)}" if title else _one_line(file_name) + number
    state = state_of(document)
    shown_folder = _one_line(from_home(folder))
    searched = f"{name}\n{shown_folder}/{_one_line(file_name)}\n{state}".casefold()
    return Row(document, state, name, shown_folder, searched)


def _format_note(path: str) -> str:
    """Returns the format, which distinguishes slides from a paper of the same title; "" for plain notes."""
    known = known_format(path)
    if known is not None and known.paths and not known.is_text:
        return f" ({known.kind})"
    suffix = os.path.splitext(path)[1].lower()
    return f" ({_one_line(suffix[1:])})" if suffix not in NOTE_SUFFIXES else ""


def state_of(document: LibraryDocument) -> str:
    """Returns the state in one or two words: "indexed", "read 3/12", "read", "failed"."""
    if document.state is DocumentState.PARTLY_READ:
        return f"read {document.read_chunks - document.failed_chunks}/{document.chunks}"
    return document.state.value


def _one_line(text: str) -> str:
    return " ".join(printable(text[:LONGEST_NAME]).split())
