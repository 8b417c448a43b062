"""The folders and documents that a vault was made from, each with its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from noderag_local.graph.summaries.model_stage import READING_CHUNKS
from noderag_local.storage.browsing.freshness import is_complete
from noderag_local.storage.browsing.library_rows import DocumentRow, LibraryRows, SkippedRow
from noderag_local.storage.database.store import Store
from noderag_local.system.paths import lies_in


class DocumentState(StrEnum):
    """The state of a document, as a table shows it."""

    FAILED = "failed"
    """its file could not be read"""
    UNFINISHED = "unfinished"
    """indexing was stopped within its file"""
    INDEXED = "indexed"
    """the instant tier has it"""
    PARTLY_READ = "partly read"
    """the language model has been through some of its chunks, or could make nothing of some"""
    READ = "read"
    """the language model has read all of it"""


@dataclass(frozen=True, slots=True)
class LibraryDocument:
    """A document, or a file that should have been one."""

    path: str
    record: int
    """0-based number in its file."""
    of_records: int
    """Number of documents in its file."""
    title: str
    """Empty where it has none."""
    chunks: int
    read_chunks: int
    """Number of chunks that the language model has read, including those that it could not use."""
    failed_chunks: int
    state: DocumentState
    reason: str
    """Why it, or a part of it, failed and what to do; empty where nothing has."""
    file_size_bytes: int
    """Size of its file; 0 where the file could not be read."""
    modified_ns: int
    """Time of the file's last change, in nanoseconds since 1970; 0 where it is not known."""
    node: int
    """Id of its node; 0 where its file could not be read."""


@dataclass(frozen=True, slots=True)
class LibraryFolder:
    """A folder or file that was indexed by name."""

    path: str
    by_lines: bool
    """Whether each line of its text files is a document."""
    files: int
    documents: int
    size_bytes: int
    """Size of its files together."""


@dataclass(frozen=True, slots=True)
class Library:
    """All folders and documents of a vault."""

    folders: tuple[LibraryFolder, ...]
    """Sorted by path."""
    documents: tuple[LibraryDocument, ...]
    """Those that could not be read first, then by path and record."""
    left_out: tuple[tuple[str, int], ...]
    """(reason, how many) of what was left out on purpose, the commonest first."""
    is_complete: bool
    """Whether every stage of indexing has seen every document."""

    @property
    def chunks(self) -> int:
        """Number of chunks of all documents."""
        return sum(document.chunks for document in self.documents)

    @property
    def read_chunks(self) -> int:
        """Number of chunks that the language model has read, of all documents."""
        return sum(document.read_chunks for document in self.documents)

    def within(self, path: str) -> tuple[LibraryDocument, ...]:
        """Returns the documents of a file, or of all files below a folder; the path is absolute."""
        return tuple(document for document in self.documents if lies_in(document.path, path))


def library(store: Store) -> Library:
    """Returns the folders and documents of a vault."""
    with store.steady():
        rows = LibraryRows(store).documents(READING_CHUNKS)
        skipped = LibraryRows(store).skipped()
        complete = is_complete(store)
    failed = [_failed(skip) for skip in skipped if skip.is_error]
    of_records = Counter(row.path for row in rows)
    documents = [_document(row, of_records[row.path]) for row in rows]
    left_out = Counter(skip.reason for skip in skipped if not skip.is_error)
    return Library(_folders(rows), (*failed, *documents), tuple(left_out.most_common()), complete)


def _document(row: DocumentRow, of_records: int) -> LibraryDocument:
    read = row.done_chunks + row.failed_chunks
    return LibraryDocument(
        row.path,
        row.record,
        of_records,
        row.title,
        row.chunks,
        read,
        row.failed_chunks,
        _state(row, read),
        row.error,
        row.file_size_bytes,
        row.modified_ns,
        row.id,
    )


def _state(row: DocumentRow, read: int) -> DocumentState:
    if not row.is_complete:
        return DocumentState.UNFINISHED
    if not read:
        return DocumentState.INDEXED
    return DocumentState.READ if row.done_chunks == row.chunks else DocumentState.PARTLY_READ


def _failed(skip: SkippedRow) -> LibraryDocument:
    return LibraryDocument(skip.path, 0, 1, "", 0, 0, 0, DocumentState.FAILED, skip.detail or skip.reason, 0, 0, 0)


def _folders(rows: Iterable[DocumentRow]) -> tuple[LibraryFolder, ...]:
    by_folder: dict[tuple[str, bool], list[DocumentRow]] = {}
    for row in rows:
        by_folder.setdefault((row.root, row.by_lines), []).append(row)
    return tuple(_folder(path, by_lines, by_folder[path, by_lines]) for path, by_lines in sorted(by_folder))


def _folder(path: str, by_lines: bool, rows: Sequence[DocumentRow]) -> LibraryFolder:
    sizes = {row.path: row.file_size_bytes for row in rows}
    return LibraryFolder(path, by_lines, len(sizes), len(rows), sum(sizes.values()))
