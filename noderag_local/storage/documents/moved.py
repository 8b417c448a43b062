"""Stores moves: of documents within their file, and of files to another path. Everything made from them is kept."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from noderag_local.domain.documents import SourceFile
from noderag_local.storage.database.spelling import path_of, path_value
from noderag_local.storage.database.store import Store
from noderag_local.storage.forgetting.former_paths import FormerPaths
from noderag_local.storage.graph.document_counts import DocumentCountRows
from noderag_local.storage.graph.neighbour_bounds import NeighbourBoundRows

_RECORDS = """
SELECT d.id, d.record, d.content_hash, d.encoding, c.start_char, c.start_byte, c.first_line
FROM documents d JOIN chunks c ON c.document_id = d.id AND c.position = 0 WHERE d.file_id = ? {which} ORDER BY d.record
"""
_ALL_RECORDS = _RECORDS.format(which="")
_RECORDS_BETWEEN = _RECORDS.format(which="AND d.record BETWEEN ? AND ?")
_RECORDS_AT = _RECORDS.format(which="AND d.record IN (SELECT value FROM json_each(?))")
_SHIFT = """
UPDATE {table} SET start_char = start_char + ?1, end_char = end_char + ?1, start_byte = start_byte + ?2,
  end_byte = end_byte + ?2, first_line = first_line + ?3, last_line = last_line + ?3
WHERE {of} IN (SELECT id FROM chunks WHERE document_id IN ({documents}))
"""


def _shifts(documents: str) -> tuple[str, str]:
    """Returns the statements that move the chunks and sentences of the documents of a query."""
    chunks = _SHIFT.format(table="chunks", of="id", documents=documents)
    return chunks, _SHIFT.format(table="sentences", of="chunk_id", documents=documents)


_SHIFT_LISTED = _shifts("SELECT value FROM json_each(?4)")
_SHIFT_TAIL = _shifts("SELECT id FROM documents WHERE file_id = ?4 AND record >= ?5")
_LIFTED = 1 << 40
"""Record numbers below the negative of this belong to a lifted tail; they never collide with the numbers of `make_room`."""
_MAKE_ROOM = f"""
UPDATE documents SET record = -1 + (
  SELECT coalesce(min(taken.record), 0) FROM documents taken
  WHERE taken.file_id = documents.file_id AND taken.record BETWEEN 1 - {_LIFTED} AND -1)
WHERE id = ? AND record >= 0
"""
"""Gives a document the next free temporary number: runs that did not come to their end may have left some."""
_LIFT_TAIL = f"UPDATE documents SET record = -{_LIFTED} - (record + ?) WHERE file_id = ? AND record >= ?"
_SETTLE_TAIL = f"UPDATE documents SET record = -{_LIFTED} - record WHERE file_id = ? AND record <= -{_LIFTED}"
_SENTENCES = """
SELECT s.id FROM sentences s JOIN chunks c ON c.id = s.chunk_id
WHERE c.document_id IN (SELECT value FROM json_each(?)) ORDER BY s.id
"""


_FIRST_RECORDS = """
SELECT file_id, content_hash, title, min(record) FROM documents WHERE file_id IN (SELECT value FROM json_each(?))
GROUP BY file_id
"""


@dataclass(frozen=True, slots=True)
class FirstRecord:
    """First document of a file, by which a moved file is recognised."""

    content_hash: str
    title: str


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A stored document of a file, with the place of its first chunk."""

    document_id: int
    record: int
    content_hash: str
    encoding: str
    start: int
    start_byte: int
    first_line: int


@dataclass(frozen=True, slots=True)
class Shift:
    """Change of a document's place within its file."""

    document_id: int
    record: int
    """New record number of the document."""
    characters: int
    bytes: int
    lines: int

    @property
    def by(self) -> tuple[int, int, int]:
        """Returns the distance of the move in characters, bytes and lines."""
        return self.characters, self.bytes, self.lines

    @property
    def moves(self) -> bool:
        """Returns whether the document's place in the file changed; a change of its record number does not count."""
        return self.by != (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Tail:
    """Last documents of a file, which have all moved by the same distance."""

    first_record: int
    """Record number of the first moved document before the change."""
    count: int
    records: int
    """Amount by which the record numbers grow."""
    characters: int
    bytes: int
    lines: int

    @property
    def moves(self) -> bool:
        """Returns whether the documents' places in the file changed; a change of record numbers does not count."""
        return (self.characters, self.bytes, self.lines) != (0, 0, 0)


class MovedRows:
    """Updates paths and places in the tables `files`, `documents`, `chunks` and `sentences`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def records(self, file_id: int, between: tuple[int, int] | None = None) -> list[StoredRecord]:
        """Returns the documents of a file, ordered by record number.

        Args:
            file_id: id of the file.
            between: first and last record number; None stands for all.
        """
        sql = _RECORDS_BETWEEN if between else _ALL_RECORDS
        return [StoredRecord(*row) for row in self._store.rows(sql, (file_id, *(between or ())))]

    def records_at(self, file_id: int, numbers: Collection[int]) -> dict[int, StoredRecord]:
        """Returns record number → document of a file; numbers that do not exist are left out."""
        rows = self._store.rows(_RECORDS_AT, (file_id, json.dumps(list(numbers))))
        return {one.record: one for one in (StoredRecord(*row) for row in rows)}

    def hashes(self, file_id: int, encoding: str) -> list[str]:
        """Returns the content hashes of a file's documents by record number; empty if any was read in another encoding."""
        rows = self._store.rows(
            "SELECT record, content_hash, encoding FROM documents WHERE file_id = ? ORDER BY record", (file_id,)
        )
        are_all = bool(rows) and rows[-1][0] == len(rows) - 1
        return [row[1] for row in rows] if are_all and {row[2] for row in rows} == {encoding} else []

    def first_records(self, file_ids: Collection[int]) -> dict[int, FirstRecord]:
        """Returns file id → first document; files without documents are left out."""
        rows = self._store.rows(_FIRST_RECORDS, (json.dumps(list(file_ids)),))
        return {file_id: FirstRecord(content_hash, title) for file_id, content_hash, title, _ in rows}

    def titles(self, file_id: int) -> dict[int, str]:
        """Returns record number → title for the documents of a file."""
        return dict(self._store.rows("SELECT record, title FROM documents WHERE file_id = ?", (file_id,)))

    def make_room(self, document_ids: Iterable[int]) -> None:
        """Gives documents temporary record numbers, so that others can use theirs; `shift` then gives them their new numbers."""
        with self._store.transaction():
            self._store.run_many(_MAKE_ROOM, ((number,) for number in document_ids))

    def shift(self, shifts: Sequence[Shift]) -> None:
        """Stores the new record numbers and places of documents of one file."""
        if not shifts:
            return
        alike: dict[tuple[int, int, int], list[int]] = {}
        for one in shifts:
            if one.moves:
                alike.setdefault(one.by, []).append(one.document_id)
        with self._store.transaction():
            self._store.touch()
            for by, documents in alike.items():
                for statement in _SHIFT_LISTED:
                    self._store.run(statement, (*by, json.dumps(documents)))
            self.make_room(one.document_id for one in shifts)
            self._store.run_many(
                "UPDATE documents SET record = ? WHERE id = ?", ((one.record, one.document_id) for one in shifts)
            )

    def lift(self, file_id: int, tail: Tail) -> None:
        """Gives the last documents of a file temporary record numbers, so that others can use theirs; `settle` must follow."""
        if tail.records:
            with self._store.transaction():
                self._store.run(_LIFT_TAIL, (tail.records, file_id, tail.first_record))

    def settle(self, file_id: int, tail: Tail) -> None:
        """Stores the new record numbers and places of the last documents of a file, after those of all others."""
        with self._store.transaction():
            self._store.touch()
            if tail.records:
                self._store.run(_SETTLE_TAIL, (file_id,))
            if tail.moves:
                by = tail.characters, tail.bytes, tail.lines
                for statement in _SHIFT_TAIL:
                    self._store.run(statement, (*by, file_id, tail.first_record + tail.records))

    def move_file(self, file_id: int, file: SourceFile, root: str) -> None:
        """Stores the new path of a file; its documents stay as they are."""
        with self._store.transaction():
            self._store.touch()
            before = self._store.value("SELECT path FROM files WHERE id = ?", (file_id,))
            FormerPaths(self._store).add(file_id, path_of(before))
            self._store.run(
                "UPDATE files SET path = ?, root = ?, size_bytes = ?, modified_ns = ? WHERE id = ?",
                (path_value(file.path), path_value(root), file.size_bytes, file.modified_ns, file_id),
            )
            self.reorder(
                [number for (number,) in self._store.rows("SELECT id FROM documents WHERE file_id = ?", (file_id,))]
            )

    def reorder(self, document_ids: Collection[int]) -> None:
        """Records that the order of documents changed, which decides ties between documents that a link or edge could lead to."""
        if not document_ids:
            return
        sentences = self._store.rows(_SENTENCES, (json.dumps(list(document_ids)),))
        with self._store.transaction():
            DocumentCountRows(self._store).read_anew(document_ids)
            NeighbourBoundRows(self._store).forget(number for (number,) in sentences)
