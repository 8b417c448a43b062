"""Lists every document with its state, every indexed folder, and every skipped file, in one query each."""

from __future__ import annotations

from collections import Counter

from noderag_local.domain.documents import Skipped
from noderag_local.domain.library import DocumentState, LibraryDocument, LibraryFolder
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Store

# Counting chunks reads only the index on (document_id, position), not their texts.
_DOCUMENTS = """
SELECT d.id, f.path, f.complete, f.size_bytes, f.modified_ns, d.record, d.title, count(c.id),
  coalesce(sum(w.status = 'done'), 0), coalesce(sum(w.status = 'failed'), 0), coalesce(max(w.error), '')
FROM documents d JOIN files f ON f.id = d.file_id
LEFT JOIN chunks c ON c.document_id = d.id
LEFT JOIN work_items w ON w.stage = ? AND w.node_id = c.id
GROUP BY d.id ORDER BY f.path, d.record
"""
_FOLDERS = """
SELECT root, by_lines, count(*), sum(documents), sum(size_bytes) FROM (
  SELECT f.root, f.by_lines, f.size_bytes, count(*) AS documents
  FROM files f JOIN documents d ON d.file_id = f.id GROUP BY f.id
) GROUP BY root, by_lines
"""
_SKIPPED = "SELECT path, reason, detail, is_error FROM skipped ORDER BY path, reason"


class LibraryRows:
    """Reads the tables `files`, `documents`, `chunks`, `work_items` and `skipped` together."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def documents(self, stage: str) -> list[LibraryDocument]:
        """Returns every document, ordered by path, then record.

        Args:
            stage: name of the model's stage whose work items are chunks.
        """
        rows = self._store.rows(_DOCUMENTS, (stage,))
        of_records = Counter(path for _, path, *_ in rows)
        return [
            LibraryDocument(
                path_of(path),
                record,
                of_records[path],
                title,
                chunks,
                done + failed,
                failed,
                _state(bool(complete), chunks, done, failed),
                error,
                size_bytes,
                modified_ns,
                number,
            )
            for number, path, complete, size_bytes, modified_ns, record, title, chunks, done, failed, error in rows
        ]

    def folders(self) -> list[LibraryFolder]:
        """Returns the folders and files that the user named for indexing and that have documents, ordered by path."""
        folders = [
            LibraryFolder(path_of(root), bool(by_lines), files, documents, size_bytes)
            for root, by_lines, files, documents, size_bytes in self._store.rows(_FOLDERS)
        ]
        return sorted(folders, key=lambda folder: (folder.path, folder.by_lines))

    def skipped(self) -> list[Skipped]:
        """Returns the skipped files and folders, ordered by path, then reason."""
        return [
            Skipped(path_of(path), reason, detail, bool(is_error))
            for path, reason, detail, is_error in self._store.rows(_SKIPPED)
        ]


def _state(is_complete: bool, chunks: int, done: int, failed: int) -> DocumentState:
    """Returns the state of a document whose file was read."""
    if not is_complete:
        return DocumentState.UNFINISHED
    if not done + failed:
        return DocumentState.INDEXED
    return DocumentState.READ if done == chunks else DocumentState.PARTLY_READ
