"""Counts what a vault holds, and finds documents, lines and entities that a user names."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.domain.graph import EdgeType, Neighbour, NodeType
from noderag_local.storage.database.columns import place_column
from noderag_local.storage.database.spelling import path_of, path_value, storable
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.edge_letters import LETTERS
from noderag_local.system.printing.cited_place import ends

_DOCUMENT = """
SELECT d.id, path, title, encoding, tags, aliases,
  (SELECT count(*) FROM sentences s JOIN chunks c ON c.id = s.chunk_id WHERE c.document_id = d.id)
FROM documents d JOIN files f ON f.id = d.file_id
WHERE path = ?1 OR path = ?2 OR title = ?3 COLLATE NOCASE OR path LIKE ?4 ESCAPE '\\'
  OR EXISTS (SELECT 1 FROM json_each(d.aliases) WHERE value = ?3 COLLATE NOCASE)
ORDER BY path = ?1 DESC, path = ?2 DESC, title = ?3 DESC, d.id LIMIT 1
"""
_FILE_AT = """
SELECT f.id FROM files f JOIN documents d ON d.file_id = f.id
WHERE path IN (?1, ?2) ORDER BY path = ?1 DESC, d.id LIMIT 1
"""
_FILE_ENDING = """
SELECT f.id FROM files f JOIN documents d ON d.file_id = f.id WHERE path LIKE ? ESCAPE '\\' ORDER BY d.id LIMIT 1
"""
_TABLE_4 = tuple(NodeType(letter) for letter in "TSNRAHO")
"""Node types in the order of the NodeRAG paper's table 4; types that the paper does not have follow."""
_NAMING = """
SELECT DISTINCT source FROM edges WHERE type = 'm' AND target IN (SELECT value FROM json_each(?)) ORDER BY source
"""
_TOGETHER = """
WITH same AS (SELECT value AS id FROM json_each(?))
SELECT nodes.name, count(DISTINCT here.source) FROM edges here
JOIN edges there ON there.type = 'm' AND there.source = here.source AND there.target NOT IN same
JOIN nodes ON nodes.id = there.target
WHERE here.type = 'm' AND here.target IN same GROUP BY nodes.id ORDER BY 2 DESC, 1 LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document that matches what the user typed."""

    id: int
    path: str
    title: str
    encoding: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    sentences: int


class Overview:
    """Counts and queries over all tables."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def files(self) -> int:
        """Number of indexed files."""
        return self._count("SELECT count(*) FROM files")

    def documents(self) -> int:
        """Number of documents of all files."""
        return self._count("SELECT count(*) FROM documents")

    def chunks(self) -> int:
        """Number of chunks of all documents."""
        return self._count("SELECT count(*) FROM chunks")

    def sentences(self) -> int:
        """Number of sentences of all chunks."""
        return self._count("SELECT count(*) FROM sentences")

    def tokens(self) -> int:
        """Number of tokens of all sentences."""
        return self._count("SELECT coalesce(sum(tokens), 0) FROM sentences")

    def embeddings(self) -> int:
        """Number of vectors of nodes of all types."""
        return self._count("SELECT count(*) FROM embeddings")

    def nodes(self) -> tuple[tuple[NodeType, int], ...]:
        """Number of nodes of each type, in the order of the NodeRAG paper's table 4."""
        found: dict[str, int] = dict(self._store.rows("SELECT type, count(*) FROM nodes GROUP BY type"))
        return tuple((kind, found.get(kind.value, 0)) for kind in dict.fromkeys((*_TABLE_4, *NodeType)))

    def edges(self) -> tuple[tuple[EdgeType, int], ...]:
        """Number of stored edges of each type, in the order of `EdgeType`."""
        found: dict[str, int] = dict(self._store.rows("SELECT type, count(*) FROM edges GROUP BY type"))
        return tuple((kind, found.get(LETTERS[kind], 0)) for kind in EdgeType)

    def size_bytes(self) -> int:
        """Size of all files of the vault's folder together."""
        with os.scandir(self._store.folder) as entries:
            return sum(entry.stat().st_size for entry in entries if entry.is_file())

    def find_document(self, name: str) -> FoundDocument | None:
        """Finds a document by its path, title, other name, or the end of its path; of several, the one with the lowest id."""
        given = path_value(name), path_value(os.path.abspath(name)), storable(name), _ending(name)
        rows = self._store.rows(_DOCUMENT, given)
        if not rows:
            return None
        number, path, title, encoding, tags, aliases, sentences = rows[0]
        return FoundDocument(
            number, path_of(path), title, encoding, tuple(json.loads(tags)), tuple(json.loads(aliases)), sentences
        )

    def sentences_of_document(self, document_id: int, limit: int = -1) -> list[int]:
        """Returns the ids of the first `limit` sentences of a document; of all if `limit` is negative."""
        sql = "SELECT s.id FROM sentences s JOIN chunks c ON c.id = s.chunk_id WHERE document_id = ? ORDER BY s.id LIMIT ?"
        return [number for (number,) in self._store.rows(sql, (document_id, limit))]

    def find_file(self, path: str) -> int | None:
        """Finds a file by its absolute or relative path or the end of it; of several, the one that `find_document` finds."""
        # The end of a path is compared with every path of the vault, so it comes second.
        rows = self._store.rows(_FILE_AT, (path_value(path), path_value(os.path.abspath(path)))) or self._store.rows(
            _FILE_ENDING, (_ending(path),)
        )
        return rows[0][0] if rows else None

    def sentences_at(self, path: str, line: int) -> list[int]:
        """Returns the sentences on a line of a file; `path` names the file as in `find_file`."""
        rows = self._store.rows(
            "SELECT s.id FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id"
            " WHERE d.file_id = ? AND ? BETWEEN s.first_line AND s.last_line ORDER BY s.id",
            (self.find_file(path), line),
        )
        return [number for (number,) in rows]

    def sentences_placed(self, path: str, place: str) -> list[int]:
        """Returns the sentences at a place of a file, such as a page; `path` names the file as in `find_file`."""
        column = place_column(self._store, "s.")
        rows = self._store.rows(
            "SELECT s.id FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id"
            f" WHERE d.file_id = ? AND {column} IN (?, ?) ORDER BY s.id",
            (self.find_file(path), *ends(place)),
        )
        return [number for (number,) in rows]

    def sentences_naming(self, entities: Sequence[int]) -> list[int]:
        """Returns every sentence that names at least one of the entities."""
        rows = self._store.rows(_NAMING, (json.dumps(list(entities)),))
        return [number for (number,) in rows]

    def named_together(self, entities: Sequence[int], limit: int) -> list[Neighbour]:
        """Returns the entities that share a sentence with at least one of the given entities.

        A neighbour's weight is the number of shared sentences.
        """
        rows = self._store.rows(_TOGETHER, (json.dumps(list(entities)), limit))
        return [Neighbour(NodeType.ENTITY, name, EdgeType.MENTION, float(count)) for name, count in rows]

    def _count(self, sql: str) -> int:
        return int(self._store.value(sql))


def _ending(path: str) -> str:
    """Returns the pattern of LIKE for longer paths that end in a path."""
    return "%/" + storable(path).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
