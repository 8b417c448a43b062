"""Reads the properties of documents that a scope filters by: path, its own day, time of the file's last change, and tags."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.database.columns import day_column
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Store

_DOCUMENTS = """
SELECT d.id, f.path, f.root, f.modified_ns, {day}, d.tags FROM documents d JOIN files f ON f.id = d.file_id ORDER BY d.id
"""
_TAGGED_SENTENCES = """
SELECT DISTINCT c.document_id, s.tags FROM sentences s JOIN chunks c ON c.id = s.chunk_id WHERE s.tags <> ''
"""
_SENTENCES_OF = """
SELECT s.id FROM sentences s JOIN chunks c ON c.id = s.chunk_id
WHERE c.document_id IN (SELECT value FROM json_each(?)) ORDER BY s.id
"""


@dataclass(frozen=True, slots=True)
class PlacedDocument:
    """A document with the properties that a scope filters by."""

    id: int
    path: str
    root: str
    """Folder or file that the user named for indexing and under which this file was found."""
    modified_ns: int
    """Time of the file's last change before it was read."""
    day: str
    """Day that the document itself tells, "2026-05-03"; "" where it tells none."""
    tags: frozenset[str]
    """Tags of the front matter and the sentences, as written there but without the #."""


class ScopeRows:
    """Reads the tables `documents`, `files` and `sentences`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def documents(self, *, with_tags: bool) -> list[PlacedDocument]:
        """Returns every document, ordered by id.

        Args:
            with_tags: False leaves `tags` empty, which saves reading all sentences.
        """
        tags = self._tags_of_sentences() if with_tags else {}
        rows = self._store.rows(_DOCUMENTS.format(day=day_column(self._store)))
        return [
            PlacedDocument(
                number,
                path_of(path),
                path_of(root),
                modified_ns,
                day,
                frozenset({*tags.get(number, ()), *json.loads(of_document)}) if with_tags else frozenset(),
            )
            for number, path, root, modified_ns, day, of_document in rows
        ]

    def sentences_of(self, documents: Iterable[int]) -> NDArray[np.int64]:
        """Returns the ids of all sentences of some documents, (n,) int64, ascending."""
        rows = self._store.rows(_SENTENCES_OF, (json.dumps(list(documents)),))
        return np.array([number for (number,) in rows], dtype=np.int64)

    def _tags_of_sentences(self) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for document, tags in self._store.rows(_TAGGED_SENTENCES):
            found.setdefault(document, set()).update(json.loads(tags))
        return found
