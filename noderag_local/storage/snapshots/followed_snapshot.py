"""Updates a snapshot after a writing run by reading only the rows that have changed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType
from noderag_local.storage.database.columns import integer_columns
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import SentenceTable, TextRows
from noderag_local.storage.graph.edge_letters import LETTERS
from noderag_local.storage.snapshots.snapshot import Edges, Snapshot
from noderag_local.storage.snapshots.word_index import WordIndex

_NOTE_EDGE = "BEGIN INSERT OR IGNORE INTO moved_edges (type, source) VALUES ({row}.type, {row}.source); END"
_NOTE_SENTENCE = "BEGIN INSERT OR IGNORE INTO moved_sentences (id) VALUES ({row}.id); END"
_EVENTS = (("insert", "new"), ("delete", "old"), ("update", "new"))
_COLUMNS = {"edges": "", "sentences": "OF chunk_id, position, tokens, text"}
"""Columns whose changes matter for a snapshot; it has no places, so sentences that only move do not count."""
_NOTE_DOCUMENTS = (
    "CREATE TEMP TRIGGER moved_files AFTER UPDATE OF path ON main.files BEGIN"
    " INSERT OR IGNORE INTO moved_documents SELECT id FROM main.documents WHERE file_id = new.id; END",
    "CREATE TEMP TRIGGER named_documents AFTER UPDATE OF title ON main.documents BEGIN"
    " INSERT OR IGNORE INTO moved_documents VALUES (new.id); END",
    "CREATE TEMP TRIGGER named_chunks AFTER UPDATE OF headings ON main.chunks BEGIN"
    " INSERT OR IGNORE INTO moved_documents VALUES (new.document_id); END",
)
"""Path, title and headings may tell the day of a document's sentences."""
_FOLLOW = (
    "CREATE TEMP TABLE moved_edges (type TEXT, source INTEGER, PRIMARY KEY (type, source)) WITHOUT ROWID",
    "CREATE TEMP TABLE moved_sentences (id INTEGER PRIMARY KEY)",
    "CREATE TEMP TABLE moved_documents (id INTEGER PRIMARY KEY)",
    *_NOTE_DOCUMENTS,
    *(
        f"CREATE TEMP TRIGGER {event}_{table} AFTER {event} {_COLUMNS[table] if event == 'update' else ''}"
        f" ON main.{table} {note.format(row=row)}"
        for table, note in (("edges", _NOTE_EDGE), ("sentences", _NOTE_SENTENCE))
        for event, row in _EVENTS
    ),
)
_UNFOLLOW = (
    *(f"DROP TRIGGER {event}_{table}" for table in ("edges", "sentences") for event, _ in _EVENTS),
    *(f"DROP TRIGGER {name}" for name in ("moved_files", "named_documents", "named_chunks")),
    "DROP TABLE moved_documents",
    "DROP TABLE moved_edges",
    "DROP TABLE moved_sentences",
)
_SENTENCES = """
SELECT s.id, s.chunk_id, c.document_id, s.position, s.tokens FROM temp.moved_sentences m
JOIN sentences s ON s.id = m.id JOIN chunks c ON c.id = s.chunk_id ORDER BY s.id
"""
_OF_MOVED_DOCUMENTS = """
WHERE c.document_id IN (
  SELECT c.document_id FROM temp.moved_sentences m JOIN sentences s ON s.id = m.id JOIN chunks c ON c.id = s.chunk_id
  UNION SELECT id FROM temp.moved_documents)
"""
"""The day of a sentence, and so the days that "yesterday" in it means, follow from the path and title, and from what stands before it."""
_EDGES = """
SELECT e.source, e.target, e.weight FROM temp.moved_edges m JOIN edges e ON e.type = m.type AND e.source = m.source
WHERE m.type = ? ORDER BY e.source, e.target
"""


class FollowedSnapshot:
    """Records the rows that one writing run changes, with temporary triggers."""

    def __init__(self, store: Store) -> None:
        """Starts recording at the store's present state; does nothing if there is no snapshot of that state."""
        self._store = store
        self._stamp = store.stamp
        self._before = Snapshot.saved(store)
        if self._before is not None:
            for statement in _FOLLOW:
                store.run(statement)

    def save(self) -> None:
        """Writes the snapshot of the present state and stops recording."""
        if self._before is None:
            Snapshot.open(self._store)
            return
        if self._store.stamp != self._stamp:
            with self._store.steady():
                self._after(self._before).save(self._store)
        self.stop()

    def stop(self) -> None:
        """Stops recording; does nothing if it has already stopped."""
        if self._before is not None:
            self._before = None
            for statement in _UNFOLLOW:
                self._store.run(statement)

    def _after(self, before: Snapshot) -> Snapshot:
        moved = {letter for (letter,) in self._store.rows("SELECT DISTINCT type FROM temp.moved_edges")}
        edges = {
            kind: self._edges(kind, columns) if LETTERS[kind] in moved else columns
            for kind, columns in before.edges.items()
        }
        chunks = TextRows(self._store).chunk_table()
        return Snapshot(self._sentences(before.sentences), chunks, edges, self._words(before.words))

    def _sentences(self, before: SentenceTable) -> SentenceTable:
        moved = self._moved("SELECT id FROM temp.moved_sentences ORDER BY id")
        ids, chunks, documents, positions, tokens = integer_columns(self._store.rows(_SENTENCES), 5)
        kept = ~np.isin(before.ids, moved)
        all_ids = np.concatenate([before.ids[kept], ids])
        order = np.argsort(all_ids, kind="stable")

        def joined(old: NDArray[np.integer], new: NDArray[np.int64]) -> NDArray[np.integer]:
            return np.concatenate([old[kept], new.astype(old.dtype)])[order]

        return SentenceTable(
            all_ids[order],
            joined(before.chunk_ids, chunks).astype(np.int64),
            joined(before.document_ids, documents).astype(np.int64),
            joined(before.positions, positions).astype(np.int32),
            joined(before.tokens, tokens).astype(np.int32),
        )

    def _words(self, before: WordIndex) -> WordIndex:
        moved = self._moved("SELECT id FROM temp.moved_sentences ORDER BY id")
        sentences = list(TextRows(self._store).sentences_in_place(_OF_MOVED_DOCUMENTS))
        read_again = np.array([one.id for one in sentences], np.int64)
        gone = np.union1d(moved, read_again)
        return before.changed(gone, WordIndex.of_sentences(sentences)) if len(gone) else before

    def _edges(self, kind: EdgeType, before: Edges) -> Edges:
        letter = LETTERS[kind]
        moved = self._moved("SELECT source FROM temp.moved_edges WHERE type = ? ORDER BY source", letter)
        rows = self._store.rows(_EDGES, (letter,))
        sources, targets = integer_columns([row[:2] for row in rows], 2)
        weights = np.array([row[2] for row in rows], np.float32)
        kept = ~np.isin(before[0], moved)
        all_sources = np.concatenate([before[0][kept], sources])
        # All edges of a source come either from the old snapshot or from the new rows, so their order stays right.
        order = np.argsort(all_sources, kind="stable")
        return (
            all_sources[order],
            np.concatenate([before[1][kept], targets])[order],
            np.concatenate([before[2][kept], weights])[order],
        )

    def _moved(self, sql: str, *parameters: str) -> NDArray[np.int64]:
        return np.array([number for (number,) in self._store.rows(sql, parameters)], np.int64)
