"""Lists the folders and documents that a vault was made from, each with its state."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.domain.documents import Skipped
from noderag_local.domain.library import DocumentState, LibraryDocument, LibraryFolder
from noderag_local.graph.summaries.model_stage import READING_CHUNKS
from noderag_local.storage.browsing.freshness import is_complete
from noderag_local.storage.browsing.library_rows import LibraryRows
from noderag_local.storage.database.store import Store
from noderag_local.system.paths import lies_in
from noderag_local.vault.browsing.left_out import LeftOut, by_reason


@dataclass(frozen=True, slots=True)
class Library:
    """All folders and documents of a vault."""

    folders: tuple[LibraryFolder, ...]
    """Sorted by path."""
    documents: tuple[LibraryDocument, ...]
    """All documents: first those that could not be read, then by path and record."""
    left_out: tuple[LeftOut, ...]
    """Files and folders that were skipped on purpose, the commonest reason first."""
    is_complete: bool
    """Whether every stage of indexing has processed every document."""

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
        rows = LibraryRows(store)
        documents, folders, skipped = rows.documents(READING_CHUNKS), rows.folders(), rows.skipped()
        complete = is_complete(store)
    failed = [_failed(skip) for skip in skipped if skip.is_error]
    left_out = by_reason(skip for skip in skipped if not skip.is_error)
    return Library(tuple(folders), (*failed, *documents), left_out, complete)


def _failed(skip: Skipped) -> LibraryDocument:
    return LibraryDocument(skip.path, 0, 1, "", 0, 0, 0, DocumentState.FAILED, skip.detail or skip.reason, 0, 0, 0)
