"""Finds the most prominent entities and titles, from which questions are suggested; ignores code."""

from __future__ import annotations

import json
from dataclasses import dataclass

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.store import Store

# The first step uses the index alone: reading the sentences of all mentions takes a second on a large vault.
_NAMED_MOST = """
SELECT target FROM edges JOIN nodes ON nodes.id = target WHERE edges.type = 'm' AND nodes.type = ?
GROUP BY target ORDER BY count(*) DESC, nodes.key LIMIT ?
"""
_SPREAD = """
SELECT n.id, n.name, count(*), count(DISTINCT c.document_id)
FROM edges e JOIN sentences s ON s.id = e.source JOIN chunks c ON c.id = s.chunk_id JOIN nodes n ON n.id = e.target
WHERE e.type = 'm' AND e.target IN (SELECT value FROM json_each(?)) AND s.kind NOT IN (?, ?, ?)
GROUP BY e.target ORDER BY 4 DESC, 3 DESC, n.key
"""
_SIZES = """
WITH told (id, sentences) AS (
  SELECT c.document_id, count(*) FROM sentences s JOIN chunks c ON c.id = s.chunk_id WHERE s.kind NOT IN (?, ?, ?) GROUP BY 1
)
"""
_TITLES = f"""{_SIZES}
SELECT d.title FROM told JOIN documents d ON d.id = told.id WHERE d.title <> ''
ORDER BY sentences DESC, d.title LIMIT ?
"""
_NO_TEXT = (str(BlockKind.CODE), str(BlockKind.HEADING), str(BlockKind.TABLE_ROW))
_OPEN_BOX = "SELECT 1 FROM chunks WHERE text LIKE '%- [ ] %' LIMIT 1"


@dataclass(frozen=True, slots=True)
class NamedOften:
    """An entity with the numbers of sentences and documents that mention it."""

    node: int
    name: str
    mentions: int
    """Number of sentences that mention the entity, without code, headings and rows of tables."""
    documents: int
    """Number of documents that contain these sentences."""


class SuggestionRows:
    """Reads entities and titles, most prominent first, then by name."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def named_often(self, limit: int) -> list[NamedOften]:
        """Returns the `limit` entities that the most sentences mention; entities in more documents come first."""
        found = [number for (number,) in self._store.rows(_NAMED_MOST, (str(NodeType.ENTITY), limit))]
        return [NamedOften(*row) for row in self._store.rows(_SPREAD, (json.dumps(found), *_NO_TEXT))]

    def has_open_box(self) -> bool:
        """Returns whether a note has an empty check box."""
        return bool(self._store.rows(_OPEN_BOX))

    def titles(self, limit: int) -> list[str]:
        """Returns the titles of documents with text, the longest text first; tables tell no story to ask about."""
        return [title for (title,) in self._store.rows(_TITLES, (*_NO_TEXT, limit))]
