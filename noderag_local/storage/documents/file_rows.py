"""Rows of indexed files and of skipped files."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.storage.database.spelling import path_of, path_value, storable
from noderag_local.storage.database.store import WORDS_LEFT_LIMIT, Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.system.paths import nearest

_HAS_READ_BY = "SELECT count(*) FROM pragma_table_info('files') WHERE name = 'read_by'"


@dataclass(frozen=True, slots=True)
class KnownFile:
    """An indexed file, as it was when it was read."""

    id: int
    path: str
    root: str
    """Folder or file that the user named for indexing and under which this file was found."""
    size_bytes: int
    modified_ns: int
    by_lines: bool
    complete: bool
    """False while the file's documents are being written, or if writing them was interrupted."""
    read_by: str
    """`reading_version` of the reader that made the documents; "" for files read before versions were stored."""

    def is_changed(self, file: SourceFile) -> bool:
        """Returns whether the file has another size or time of change now."""
        return (self.size_bytes, self.modified_ns) != (file.size_bytes, file.modified_ns)


_BELOW = """
WHERE id IN (
  SELECT id FROM files WHERE path >= x''
  UNION SELECT f.id FROM json_each(?1) root CROSS JOIN files f ON f.path = json_extract(root.value, '$[0]')
  UNION SELECT f.id FROM json_each(?1) root
    CROSS JOIN files f ON f.path > json_extract(root.value, '$[1]') AND f.path < json_extract(root.value, '$[2]'))
"""
"""Condition for files at or below some paths; each is looked up in the index of paths.

Files whose names are no Unicode are stored as bytes, which come after all texts; all of them are taken in.
"""


def _bounds(roots: Sequence[str]) -> str:
    """Returns the parameter of `_BELOW`: each root, and the texts between which all paths below it are."""
    folders = [(root, root.rstrip(os.sep) + os.sep) for root in roots if isinstance(path_value(root), str)]
    return json.dumps([(root, folder, folder[:-1] + chr(ord(os.sep) + 1)) for root, folder in folders])


class FileRows:
    """The tables `files` and `skipped`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def known(self, roots: Sequence[str] | None = None) -> dict[str, KnownFile]:
        """Returns the indexed files by path, in the order of the ids.

        Args:
            roots: absolute paths; only these files, and those below these folders, are returned. None for all files.
        """
        # Readers cannot migrate an older vault.
        read_by = "read_by" if self._store.value(_HAS_READ_BY) else "''"
        where, parameters = ("", ()) if roots is None else (_BELOW, (_bounds(roots),))
        rows = self._store.rows(
            f"SELECT id, path, root, size_bytes, modified_ns, by_lines, complete, {read_by} FROM files {where} ORDER BY id",
            parameters,
        )
        files = (
            KnownFile(number, path_of(path), path_of(root), size, modified, bool(by_lines), bool(complete), version)
            for number, path, root, size, modified, by_lines, complete, version in rows
        )
        return {file.path: file for file in files}

    def roots(self) -> set[tuple[str, bool]]:
        """Returns (path, whether places are given as lines) of all folders and files that the user named for indexing.

        Files for which the named folder is not known stand for themselves.
        """
        rows = self._store.rows("SELECT DISTINCT CASE root WHEN '' THEN path ELSE root END, by_lines FROM files")
        return {(path_of(root), bool(by_lines)) for root, by_lines in rows}

    def begin(self, file: SourceFile, root: str, by_lines: bool, read_by: str) -> int:
        """Marks a file as unfinished before its documents are written; a known file keeps its id and documents.

        Args:
            file: the file as the scan found it.
            root: indexed folder or file that it was found under.
            by_lines: whether places in the file are given as lines.
            read_by: `KnownFile.read_by` for a new file. A known file keeps its value until `finish`, since some of its
            documents may be older.

        Returns:
            The file's id, for `DocumentRows.add`.
        """
        with self._store.transaction():
            self._store.run(
                "INSERT INTO files (path, root, size_bytes, modified_ns, by_lines, read_by, complete)"
                " VALUES (?, ?, ?, ?, ?, ?, 0)"
                " ON CONFLICT (path) DO UPDATE SET root = excluded.root, size_bytes = excluded.size_bytes,"
                " modified_ns = excluded.modified_ns, by_lines = excluded.by_lines, complete = 0",
                (path_value(file.path), path_value(root), file.size_bytes, file.modified_ns, by_lines, read_by),
            )
            return int(self._store.value("SELECT id FROM files WHERE path = ?", (path_value(file.path),)))

    def finish(self, file_id: int, size_bytes: int, modified_ns: int, read_by: str) -> None:
        """Marks a file as finished after all of its documents are written.

        Args:
            file_id: id from `begin`.
            size_bytes: size before the file was read, so that the next run notices a change during the reading.
            modified_ns: time of the last change before the file was read, in nanoseconds since 1970, UTC.
            read_by: as `KnownFile.read_by`.
        """
        with self._store.transaction():
            self._store.run(
                "UPDATE files SET size_bytes = ?, modified_ns = ?, read_by = ?, complete = 1 WHERE id = ?",
                (size_bytes, modified_ns, read_by, file_id),
            )

    def remove_unfinished(self, path: str) -> int:
        """Removes an unfinished file as `remove` does; returns the number of removed documents."""
        rows = self._store.rows("SELECT id FROM files WHERE path = ? AND NOT complete", (path_value(path),))
        return self.remove([number for (number,) in rows])

    def remove(self, file_ids: Collection[int]) -> int:
        """Removes files with their documents and everything made from them.

        Returns:
            Number of removed documents.
        """
        with self._store.transaction():
            documents = self.remove_documents(file_ids)
            self._store.run_many("DELETE FROM files WHERE id = ?", ((file_id,) for file_id in file_ids))
        return documents

    def remove_documents(self, file_ids: Collection[int]) -> int:
        """Removes the documents of files with everything made from them, but not what is known of the files.

        Returns:
            Number of removed documents.
        """
        with self._store.transaction():
            documents = [
                document
                for file_id in file_ids
                for (document,) in self._store.rows("SELECT id FROM documents WHERE file_id = ?", (file_id,))
            ]
            DocumentRows(self._store).remove(documents)
            if documents:
                self._store.forget_words(WORDS_LEFT_LIMIT)
        return len(documents)

    def texts(self, file_id: int) -> tuple[frozenset[str], frozenset[str]]:
        """Returns the titles of a file's documents, and its sentences."""
        titles = self._store.rows("SELECT title FROM documents WHERE file_id = ? AND title <> ''", (file_id,))
        sentences = self._store.rows(
            "SELECT sentences.text FROM sentences JOIN chunks ON chunks.id = chunk_id"
            " JOIN documents ON documents.id = document_id WHERE file_id = ?",
            (file_id,),
        )
        return frozenset(text for (text,) in titles), frozenset(text for (text,) in sentences)

    def replace_skipped(self, skipped: Mapping[str, Sequence[Skipped]]) -> None:
        """Replaces the stored list of skipped files at or below the given roots, whatever root they were found under."""
        with self._store.transaction():
            self.remove_skipped(skipped.keys())
            for root, found in skipped.items():
                self.note_skipped(root, found)

    def note_skipped(self, root: str, skipped: Sequence[Skipped]) -> None:
        """Stores files and folders that were skipped under a root."""
        with self._store.transaction():
            self._store.run_many(
                "INSERT INTO skipped (path, reason, detail, is_error, root) VALUES (?, ?, ?, ?, ?)",
                (
                    (
                        path_value(item.path),
                        storable(item.reason),
                        storable(item.detail),
                        item.is_error,
                        path_value(root),
                    )
                    for item in skipped
                ),
            )

    def skipped(self) -> list[Skipped]:
        """Returns all skipped files and folders in the order in which they were stored."""
        rows = self._store.rows("SELECT path, reason, detail, is_error FROM skipped ORDER BY rowid")
        return [Skipped(path_of(path), reason, detail, bool(is_error)) for path, reason, detail, is_error in rows]

    def remove_skipped(self, paths: Container[str]) -> None:
        """Removes skipped files and folders at or below the given paths from the list."""
        rows = self._store.rows("SELECT rowid, path FROM skipped")
        gone = [number for number, value in rows if nearest(path_of(value), paths)]
        with self._store.transaction():
            self._store.run_many("DELETE FROM skipped WHERE rowid = ?", ((number,) for number in gone))
