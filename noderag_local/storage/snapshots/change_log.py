"""Records which rows have changed since the caches were made, so that a change costs what changed and not the whole vault.

The caches (`snapshot`, `vector_file` and the arrays of the searches) are made from one state of the vault, their base. While a
log is kept, temporary triggers note the ids of all rows that change; readers then take the base, and the present rows in place of
those that changed. When much has changed, the caches are made anew and the log begins again. Another embedding model ends the
log, since it changes all vectors and perhaps their length.

Indexing, the language model's reading, forgetting and decisions about names keep the log (`pipeline/caches.py`). Every other
writer ends it, as its changes are not noted: dropping what the model has made, importing, restoring, repairing, and counting
tokens by another model. These are rare and change most of the vault, so that the caches must be made anew anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType
from noderag_local.storage.database.columns import integer_columns, integers
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.fact_names import LOGGED, LOGGED_FROM, LOGGED_IDS
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import ChunkTable, SentenceTable, TextRows
from noderag_local.storage.graph.edge_letters import TYPES
from noderag_local.storage.snapshots.word_index import WordIndex

MOST_SENTENCES = 4_000
"""Changed sentences up to which a run leaves a log. Their words are read at each start of a search: 0.1 s for a thousand."""
CHANGED_EDGES_A_SENTENCE = 25
"""Changed edges for each of these sentences up to which it does so. Reading 100,000 takes 0.1 s."""
READ_AGAIN = 5
"""Sentences of changed documents, changed or not, for each of these sentences; the words of all are read, since their days may be others."""
LOGGED_SHARE = 0.05
"""A stopped run may leave a longer log. Searches read it up to this share of the vault's sentences. Beyond it the caches are made anew,
which takes as long as twenty such searches."""
LEAST_SENTENCES = 20_000
"""Sentences of a vault from which on a log is kept. The caches of a smaller one are made anew in less than 0.1 s."""

_TABLES = ("sentences", "chunks", "documents", "names", "vectors", "edges")
_EVENTS = (("insert", "new"), ("delete", "old"), ("update", "new"))
_WATCHED = (
    ("sentences", "OF chunk_id, position, tokens, text", "_changed_sentences (id) VALUES ({row}.id)", ""),
    ("chunks", "OF document_id, position", "_changed_chunks (id) VALUES ({row}.id)", ""),
    ("embeddings", "", "_changed_vectors (id) VALUES ({row}.node_id)", ""),
    (
        "edges",
        "",
        "_changed_edges (type, source, target) VALUES ({row}.type, {row}.source, {row}.target)",
        "",
    ),
    ("nodes", "OF key", "_changed_names (id) VALUES ({row}.id)", "WHEN {row}.type IN ('N', 'K')"),
)
"""Table, columns whose updates matter, what is noted, and the condition for it. The caches have no places in files, so sentences
that only move do not count."""
_TRIGGERS = (
    *(
        f"CREATE TEMP TRIGGER {event}_{table} AFTER {event} {columns if event == 'update' else ''} ON main.{table}"
        f" {condition.format(row=row)} BEGIN INSERT OR IGNORE INTO {note.format(row=row)}; END"
        for table, columns, note, condition in _WATCHED
        for event, row in _EVENTS
    ),
    "CREATE TEMP TRIGGER moved_files AFTER UPDATE OF path ON main.files BEGIN"
    " INSERT OR IGNORE INTO _changed_documents SELECT id FROM documents WHERE file_id = new.id; END",
    "CREATE TEMP TRIGGER named_documents AFTER UPDATE OF title ON main.documents BEGIN"
    " INSERT OR IGNORE INTO _changed_documents VALUES (new.id); END",
    "CREATE TEMP TRIGGER named_chunks AFTER UPDATE OF headings ON main.chunks BEGIN"
    " INSERT OR IGNORE INTO _changed_documents VALUES (new.document_id); END",
)
_TRIGGER_NAMES = (
    *(f"{event}_{table}" for table, *_ in _WATCHED for event, _ in _EVENTS),
    *("moved_files", "named_documents", "named_chunks"),
)
_SENTENCES = """
SELECT s.id, s.chunk_id, c.document_id, s.position, s.tokens FROM _changed_sentences m
CROSS JOIN sentences s ON s.id = m.id CROSS JOIN chunks c ON c.id = s.chunk_id ORDER BY s.id
"""
_CHUNKS = """
SELECT c.id, c.document_id, c.position FROM _changed_chunks m CROSS JOIN chunks c ON c.id = m.id ORDER BY c.id
"""
_EDGES = """
SELECT m.type, m.source, m.target, e.weight FROM _changed_edges m LEFT JOIN edges e
  ON e.type = m.type AND e.source = m.source AND e.target = m.target ORDER BY m.type, m.source, m.target
"""
_READ_AGAIN = """
SELECT 1 FROM chunks c CROSS JOIN sentences s ON s.chunk_id = c.id WHERE c.document_id IN ({documents})
"""
_CHANGED_DOCUMENTS = """
SELECT c.document_id FROM _changed_sentences m CROSS JOIN sentences s ON s.id = m.id CROSS JOIN chunks c ON c.id = s.chunk_id
UNION SELECT id FROM _changed_documents
"""
"""The day of a sentence, and so the days that "yesterday" in it means, follow from the path and title, and from what stands before it."""


@dataclass(frozen=True, slots=True)
class ChangedEdges:
    """Edges of one type that were added, removed or given another weight; c edges, ordered by source, then target."""

    sources: NDArray[np.int64]
    """(c,)"""
    targets: NDArray[np.int64]
    """(c,)"""
    weights: NDArray[np.float32]
    """(c,) present weight; NaN where the edge is gone"""


@dataclass(frozen=True)
class Changes:
    """Rows of a vault that changed since its caches were made."""

    sentence_ids: NDArray[np.int64]
    """(s,) ids, ascending, of sentences that were added, changed or removed"""
    sentences: SentenceTable
    """those of them that exist now"""
    chunk_ids: NDArray[np.int64]
    """(c,) ids, ascending, of chunks that were added, changed or removed"""
    chunks: ChunkTable
    """those of them that exist now"""
    name_ids: NDArray[np.int64]
    """ids, ascending, of entities and keywords that were added or removed"""
    vector_ids: NDArray[np.int64]
    """ids, ascending, of nodes whose vectors were added, changed or removed"""
    edges: Mapping[EdgeType, ChangedEdges]
    """types without a change are left out"""
    word_ids: NDArray[np.int64]
    """ids, ascending, of the sentences whose words were read again, or that are gone"""
    words: WordIndex
    """words of those of them that exist now"""


def logged_from(store: Store) -> str | None:
    """Returns the stamp of the state from which on all changes are noted; None if some were not."""
    return store.facts.get(LOGGED_FROM) if store.stamp and store.facts.get(LOGGED) == store.stamp else None


def is_short(store: Store, sentences: int) -> bool:
    """Returns whether searches should read the log in place of making the caches anew.

    Args:
        store: the vault; call this after `logged_from`.
        sentences: number of the sentences that the caches have.
    """
    return _is_within(store, max(MOST_SENTENCES, int(LOGGED_SHARE * sentences)))


def _is_within(store: Store, sentences: int) -> bool:
    """Returns whether the log is no longer than that of so many changed sentences."""
    again = _READ_AGAIN.format(documents=_CHANGED_DOCUMENTS)
    bounds = (
        ("SELECT 1 FROM _changed_sentences", sentences),
        ("SELECT 1 FROM _changed_edges", CHANGED_EDGES_A_SENTENCE * sentences),
        (again, READ_AGAIN * sentences),
    )
    return all(store.value(f"SELECT count(*) FROM ({rows} LIMIT ?)", (most + 1,)) <= most for rows, most in bounds)


def end_log(store: Store) -> None:
    """Ends the log after a change of so much that the caches must be made anew; call it inside a transaction."""
    store.facts.pop(LOGGED_FROM, None)


def read_changes(store: Store) -> Changes:
    """Reads the log, with the present state of all rows in it; call it inside `Store.steady` after `logged_from`."""
    changed = integers(store.rows("SELECT id FROM _changed_sentences ORDER BY id"))
    ids, chunk_ids, document_ids, positions, tokens = integer_columns(store.rows(_SENTENCES), 5)
    chunks, of_documents, chunk_positions = integer_columns(store.rows(_CHUNKS), 3)
    documents = integers(store.rows(_CHANGED_DOCUMENTS))
    read_again = TextRows(store).sentences_of_documents(documents.tolist())
    return Changes(
        sentence_ids=changed,
        sentences=SentenceTable(ids, chunk_ids, document_ids, positions.astype(np.int32), tokens.astype(np.int32)),
        chunk_ids=integers(store.rows("SELECT id FROM _changed_chunks ORDER BY id")),
        chunks=ChunkTable(chunks, of_documents, chunk_positions.astype(np.int32)),
        name_ids=integers(store.rows("SELECT id FROM _changed_names ORDER BY id")),
        vector_ids=integers(store.rows("SELECT id FROM _changed_vectors ORDER BY id")),
        edges=_edges(store),
        word_ids=distinct(changed, np.array([one.id for one in read_again], np.int64)),
        words=WordIndex.of_sentences(read_again),
    )


def _edges(store: Store) -> dict[EdgeType, ChangedEdges]:
    rows: dict[str, list[tuple[int, int, float | None]]] = {}
    for letter, source, target, weight in store.rows(_EDGES):
        rows.setdefault(letter, []).append((source, target, weight))
    made = {}
    for letter, found in rows.items():
        sources, targets = integer_columns([row[:2] for row in found], 2)
        weights = np.array([np.nan if row[2] is None else row[2] for row in found], np.float32)
        made[TYPES[letter]] = ChangedEdges(sources, targets, weights)
    return made


class ChangeLog:
    """Keeps the log during one writing run."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_kept = False

    def follow(self, is_base: bool) -> None:
        """Begins a run: goes on with the log, begins one, or keeps none; call it before anything is written.

        Args:
            is_base: whether the caches are of the vault's present state.
        """
        with self._store.transaction():
            if is_base:
                self.begin()
            self._is_kept = logged_from(self._store) is not None
            if not self._is_kept:
                self._clear()
                return
            for statement in _TRIGGERS:
                self._store.run(statement)
            self._store.logs_changes = True

    @property
    def is_worth_keeping(self) -> bool:
        """Whether all changes are noted, and few enough to be read at each start of a search."""
        is_large = TextRows(self._store).count_sentences() >= LEAST_SENTENCES
        return self._is_kept and is_large and _is_within(self._store, MOST_SENTENCES)

    def begin(self) -> None:
        """Empties the log, which then begins at the vault's present state; the caches are made of that state."""
        with self._store.transaction():
            self._clear()
            self._store.facts[LOGGED_FROM] = self._store.facts[LOGGED] = self._store.stamp
            self._store.facts[LOGGED_IDS] = str(self._store.next_node_id() - 1)

    def stop(self) -> None:
        """Ends the run: nothing more is noted; does nothing if it has ended already."""
        if self._store.logs_changes:
            self._store.logs_changes = False
            for name in _TRIGGER_NAMES:
                self._store.run(f"DROP TRIGGER temp.{name}")

    def _clear(self) -> None:
        for name in _TABLES:
            self._store.run(f"DELETE FROM _changed_{name}")
        for fact in (LOGGED_FROM, LOGGED, LOGGED_IDS):
            self._store.facts.pop(fact, None)
