"""Makes the rows of the library's table."""

from __future__ import annotations

import os
from dataclasses import dataclass

from noderag_local.domain.library import DocumentState, LibraryDocument
from noderag_local.interfaces.tui.shared.terminal_text import from_home
from noderag_local.system.printing.plain_text import printable

LONGEST_NAME = 400
"""Characters of a title or path that are looked at: no screen is wider, and some "titles" are books."""
NOTE_SUFFIXES = frozenset({"", ".md", ".markdown", ".txt", ".text"})


@dataclass(frozen=True, slots=True)
class Row:
    """One document as the table shows it. It is made once, as the filter looks through all rows at every key."""

    document: LibraryDocument
    state: str
    name: str
    """On one line: title, or the name of the file where it has none, with a number where the file has several."""
    folder: str
    searched: str
    """Casefolded: what a filter looks in."""


def row_of(document: LibraryDocument) -> Row:
    """Returns the row of a document, with its name made safe to print."""
    folder, file_name = os.path.split(document.path)
    title = _one_line(document.title)
    number = f" #{document.record + 1}" if document.of_records > 1 else ""
    name = f"{title}{_format_note(file_name)}" if title else _one_line(file_name) + number
    state = state_of(document)
    shown_folder = _one_line(from_home(folder))
    searched = f"{name}\n{shown_folder}/{_one_line(file_name)}\n{state}".casefold()
    return Row(document, state, name, shown_folder, searched)


def _format_note(file_name: str) -> str:
    """Returns the format, which tells a slide show from the paper of the same title; nothing for plain notes."""
    suffix = os.path.splitext(file_name)[1].lower()
    return f" ({_one_line(suffix[1:])})" if suffix not in NOTE_SUFFIXES else ""


def state_of(document: LibraryDocument) -> str:
    """Returns the state in a word or two: "indexed", "read 3/12", "read", "failed"."""
    if document.state is DocumentState.PARTLY_READ:
        return f"read {document.read_chunks - document.failed_chunks}/{document.chunks}"
    return document.state.value


def _one_line(text: str) -> str:
    return " ".join(printable(text[:LONGEST_NAME]).split())
