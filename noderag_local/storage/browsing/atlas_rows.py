"""Queries for browsing the graph: the file of each sentence, and nodes by their text."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from dataclasses import dataclass

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.columns import day_column
from noderag_local.storage.database.spelling import path_of, path_value, storable
from noderag_local.storage.database.store import Store

_FILES = """
SELECT s.id, path, modified_ns, {day}
FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id
WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY s.id
"""
_SENTENCES_SAYING = "SELECT text, min(id) FROM sentences WHERE text IN (SELECT value FROM json_each(?)) GROUP BY text"
_NODES_CALLED = """
SELECT name, min(id) FROM nodes WHERE type = ? AND name IN (SELECT value FROM json_each(?)) GROUP BY name
"""
_DOCUMENTS = """
SELECT d.id, path, record, title, aliases, tags FROM documents d JOIN files f ON f.id = d.file_id
WHERE d.id IN (SELECT value FROM json_each(?)) ORDER BY d.id
"""
_DOCUMENT_AT = "SELECT d.id FROM documents d JOIN files f ON f.id = d.file_id WHERE path = ? AND record = ?"
_DOCUMENT_CALLED = """
SELECT d.id FROM note_names n JOIN documents d ON d.id = n.document_id JOIN files f ON f.id = d.file_id
WHERE n.name = ? ORDER BY path, record LIMIT 1
"""
_OTHERS = "SELECT 1 FROM documents d JOIN documents o ON o.file_id = d.file_id AND o.id != d.id WHERE d.id = ? LIMIT 1"
_HEADINGS = "SELECT id FROM sentences WHERE kind = ? AND id IN (SELECT value FROM json_each(?))"
_TYPES = "SELECT id, type FROM nodes WHERE id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class SentenceFile:
    """A sentence and its file."""

    sentence: int
    path: str
    modified_ns: int
    day: str
    """Day that its document itself tells, "2026-05-03"; "" where it tells none."""


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A document with its name."""

    node: int
    path: str
    record: int
    """0-based number in its file."""
    title: str
    """Title; empty where there is none."""
    aliases: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def name(self) -> str:
        """Returns the title, or the name of the file if there is no title."""
        return self.title or os.path.basename(self.path)


class AtlasRows:
    """Reads `nodes`, `documents`, `sentences` and `files`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def files_of(self, sentences: Collection[int]) -> list[SentenceFile]:
        """Returns sentence id -> its file; removed sentences are left out."""
        rows = self._store.rows(_FILES.format(day=day_column(self._store)), (json.dumps(list(sentences)),))
        return [SentenceFile(sentence, path_of(path), modified, day) for sentence, path, modified, day in rows]

    def documents(self, nodes: Collection[int]) -> list[NamedDocument]:
        """Returns id -> document; removed documents are left out."""
        rows = self._store.rows(_DOCUMENTS, (json.dumps(list(nodes)),))
        return [
            NamedDocument(node, path_of(path), record, title, tuple(json.loads(aliases)), tuple(json.loads(tags)))
            for node, path, record, title, aliases, tags in rows
        ]

    def document_at(self, path: str, record: int) -> int:
        """Returns the document of a file with a 0-based number; 0 if there is none."""
        rows = self._store.rows(_DOCUMENT_AT, (path_value(path), record))
        return int(rows[0][0]) if rows else 0

    def document_called(self, name: str) -> int:
        """Returns the document that a link means, the first by path and record; 0 if there is none.

        Args:
            name: name in the spelling of `extraction.rules.document_reading.note_key`.
        """
        rows = self._store.rows(_DOCUMENT_CALLED, (storable(name),))
        return int(rows[0][0]) if rows else 0

    def is_one_of_several(self, node: int) -> bool:
        """Returns whether the file of a document has others."""
        return bool(self._store.rows(_OTHERS, (node,)))

    def headings_among(self, sentences: Collection[int]) -> set[int]:
        """Returns the sentences that are headings, out of those given."""
        rows = self._store.rows(_HEADINGS, (str(BlockKind.HEADING), json.dumps(list(sentences))))
        return {number for (number,) in rows}

    def sentences_saying(self, texts: Collection[str]) -> dict[str, int]:
        """Returns text -> id of the first sentence with exactly this text. Reads all sentences: 0.1 s for 300,000."""
        rows = self._store.rows(_SENTENCES_SAYING, (json.dumps([storable(text) for text in texts]),))
        found: dict[str, int] = dict(rows)
        return found

    def nodes_called(self, kind: NodeType, names: Collection[str]) -> dict[str, int]:
        """Returns name -> id of the first node of a type with this name. Reads all nodes of the type."""
        rows = self._store.rows(_NODES_CALLED, (str(kind), json.dumps([storable(name) for name in names])))
        found: dict[str, int] = dict(rows)
        return found

    def types(self, nodes: Collection[int]) -> dict[int, NodeType]:
        """Returns node id -> type; removed nodes are left out."""
        return {number: NodeType(kind) for number, kind in self._store.rows(_TYPES, (json.dumps(list(nodes)),))}
