"""Runs of words that stand in some files and in no other file of the vault; they show where the files are quoted."""

from __future__ import annotations

import json
from collections.abc import Collection

from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.fts_query import run_of_words
from noderag_local.storage.forgetting.word_runs import runs_of
from noderag_local.storage.graph.derived import derived_from_chunks

_CHUNKS = """
SELECT chunks.id FROM chunks JOIN documents ON documents.id = document_id
WHERE file_id IN (SELECT value FROM json_each(?1))
"""
_OWN = f"SELECT id FROM sentences WHERE chunk_id IN ({_CHUNKS})"
_TEXTS = (
    f"SELECT text FROM sentences WHERE id IN ({_OWN})",
    "SELECT title FROM documents WHERE file_id IN (SELECT value FROM json_each(?1))",
    "SELECT value FROM documents, json_each(aliases) WHERE file_id IN (SELECT value FROM json_each(?1))",
    f"SELECT name FROM nodes WHERE id IN (SELECT target FROM edges WHERE type IN ('m', 'k', 'r') AND source IN ({_OWN}))",
    f"SELECT text FROM fragments WHERE chunk_id IN ({_CHUNKS})",
)
_DERIVED = "SELECT name FROM nodes WHERE id IN (SELECT value FROM json_each(?)) AND name IS NOT NULL"
_WHERE = "SELECT rowid FROM chunk_words WHERE chunk_words MATCH ?"


class QuoteMarkers:
    """The runs of some files: of their sentences and titles, of the names in them, and of what a model wrote about them."""

    def __init__(self, store: Store, file_ids: Collection[int]) -> None:
        self._store = store
        files = (json.dumps(list(file_ids)),)
        self._chunks = {number for (number,) in store.rows(_CHUNKS, files)}
        derived = derived_from_chunks(store, self._chunks)
        nodes = (json.dumps([*derived.founded, *derived.summaries]),)
        found = [*(row for sql in _TEXTS for row in store.rows(sql, files)), *store.rows(_DERIVED, nodes)]
        self.runs = frozenset(run for (text,) in found for run in runs_of(text))
        self._own: dict[str, bool] = {}

    def is_own(self, run: str) -> bool:
        """Returns whether a run is in no other file: a line that all diaries begin with shows nothing."""
        if run not in self._own:
            query = run_of_words(run)
            self._own[run] = bool(query) and all(
                chunk in self._chunks for (chunk,) in self._store.rows(_WHERE, (query,))
            )
        return self._own[run]
