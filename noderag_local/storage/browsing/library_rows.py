"""Lists every document with its state, and every skipped file, in one query each."""

from __future__ import annotations

from dataclasses import dataclass

from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Store

# The chunks are counted in the index of (document_id, position), which does not touch their texts.
_DOCUMENTS = """
SELECT d.id, f.path, f.root, f.by_lines, f.complete, f.size_bytes, f.modified_ns, d.record, d.title,
  count(c.id), coalesce(sum(w.status = 'done'), 0), coalesce(sum(w.status = 'failed'), 0), coalesce(max(w.error), '')
FROM documents d JOIN files f ON f.id = d.file_id
LEFT JOIN chunks c ON c.document_id = d.id
LEFT JOIN work_items w ON w.stage = ? AND w.node_id = c.id
GROUP BY d.id ORDER BY f.path, d.record
"""
_SKIPPED = "SELECT path, root, reason, detail, is_error FROM skipped ORDER BY path, reason"


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document, its file, and how much of it was read by the language model."""

    id: int
    path: str
    root: str
    """Folder or file that the user asked to index when the file was found."""
    by_lines: bool
    is_complete: bool
    """False while the documents of its file are being written, or where that was cut short."""
    file_size_bytes: int
    modified_ns: int
    record: int
    title: str
    chunks: int
    done_chunks: int
    failed_chunks: int
    error: str
    """Why one of the failed chunks failed; "" where none did."""


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A file or folder that was left out."""

    path: str
    root: str
    reason: str
    detail: str
    is_error: bool


class LibraryRows:
    """Reads the tables `files`, `documents`, `chunks`, `work_items` and `skipped` together."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def documents(self, stage: str) -> list[DocumentRow]:
        """Returns every document, by path, then record.

        Args:
            stage: stage of the language model whose items are chunks.
        """
        return [
            DocumentRow(number, path_of(path), path_of(root), bool(by_lines), bool(complete), *rest)
            for number, path, root, by_lines, complete, *rest in self._store.rows(_DOCUMENTS, (stage,))
        ]

    def skipped(self) -> list[SkippedRow]:
        """Returns the skipped files and folders, by path, then reason."""
        return [
            SkippedRow(path_of(path), path_of(root), reason, detail, bool(is_error))
            for path, root, reason, detail, is_error in self._store.rows(_SKIPPED)
        ]
