"""The documents and folders of a vault as its library lists them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DocumentState(StrEnum):
    """The state of a document, as a table shows it."""

    FAILED = "failed"
    """The file could not be read."""
    UNFINISHED = "unfinished"
    """Indexing was stopped within the file."""
    INDEXED = "indexed"
    """The document is indexed; the language model has read none of it."""
    PARTLY_READ = "partly read"
    """The language model has read only some of the chunks, or failed on some."""
    READ = "read"
    """The language model has read all of it."""


@dataclass(frozen=True, slots=True)
class LibraryDocument:
    """A document, or a file that could not be read as one."""

    path: str
    record: int
    """0-based number in its file."""
    of_records: int
    """Number of documents in its file."""
    title: str
    """Empty where it has none."""
    chunks: int
    read_chunks: int
    """Number of chunks that the language model has read, including those on which it failed."""
    failed_chunks: int
    state: DocumentState
    reason: str
    """Why reading the document, or a part of it, failed and what to do; empty if nothing failed."""
    file_size_bytes: int
    """Size of its file; 0 where the file could not be read."""
    modified_ns: int
    """Time of the file's last change, in nanoseconds since 1970; 0 where it is not known."""
    node: int
    """Id of its node; 0 where its file could not be read."""


@dataclass(frozen=True, slots=True)
class LibraryFolder:
    """A folder or file that the user named for indexing."""

    path: str
    by_lines: bool
    """Whether each line of its text files is a document."""
    files: int
    documents: int
    size_bytes: int
    """Size of its files together."""
