"""Reads whole documents, sentence by sentence, for answers that are computed over many of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from noderag_local.domain.documents import BlockKind
from noderag_local.storage.database.columns import day_column
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Row, Store
from noderag_local.storage.graph.merged_names import HAS_MERGES

_SENTENCES = """
SELECT s.id, c.document_id, f.path, d.title, c.headings, s.text, s.kind, {day}
FROM chunks c JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id JOIN sentences s ON s.chunk_id = c.id
WHERE c.document_id IN (SELECT value FROM json_each(?)) ORDER BY s.id
"""
_GIVEN = """
SELECT s.id, c.document_id, f.path, d.title, c.headings, s.text, s.kind, {day}
FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id
WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY s.id
"""
_DOCUMENTS_OF = """
SELECT DISTINCT c.document_id FROM sentences s JOIN chunks c ON c.id = s.chunk_id
WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY c.document_id
"""
_SAME = """
WITH named AS (SELECT coalesce((SELECT into_id FROM merged_names WHERE node_id = id), id) AS one FROM nodes WHERE type = 'N' AND key = ?)
SELECT one FROM named UNION SELECT node_id FROM merged_names WHERE into_id IN (SELECT one FROM named)
"""
_NAMING = """
SELECT DISTINCT source FROM edges WHERE type = 'm' AND source IN (SELECT value FROM json_each(?))
AND target IN (SELECT value FROM json_each(?)) ORDER BY source
"""
_NAMES_IN = """
SELECT DISTINCT e.source, n.name FROM edges e LEFT JOIN merged_names m ON m.node_id = e.target
JOIN nodes n ON n.id = coalesce(m.into_id, e.target)
WHERE e.type = 'm' AND e.source IN (SELECT value FROM json_each(?)) ORDER BY e.source, n.name
"""
_LINES = "SELECT id, first_line, last_line FROM sentences WHERE id IN (SELECT value FROM json_each(?))"
_NAMED = "SELECT d.id, d.title, d.tags, f.path FROM documents d JOIN files f ON f.id = d.file_id ORDER BY d.id"
_WITH_ITEMS = f"""
SELECT DISTINCT c.document_id FROM chunks c JOIN sentences s ON s.chunk_id = c.id
WHERE c.document_id IN (SELECT value FROM json_each(?)) AND s.kind = '{BlockKind.LIST_ITEM}' ORDER BY c.document_id
"""
_BOXED = """
SELECT c.id, c.text, c.start_char, c.first_line, s.id, c.document_id, f.path, d.title, c.headings, s.text, s.kind, {day}, s.end_char
FROM chunks c JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id JOIN sentences s ON s.chunk_id = c.id
WHERE c.text LIKE '%[ ]%' ORDER BY s.id
"""


class EntrySentence(NamedTuple):
    """A sentence with its document and what stands over it."""

    id: int
    document_id: int
    path: str
    title: str
    headings: tuple[str, ...]
    text: str
    kind: BlockKind
    day: str = ""
    """Day that the document itself tells, "2026-05-03"; "" where it tells none."""


class DocumentLabel(NamedTuple):
    """A document by its title, tags and path."""

    id: int
    title: str
    tags: tuple[str, ...]
    path: str


class BoxedChunk(NamedTuple):
    """A chunk with an empty check box: its text as in the note, and its sentences."""

    text: str
    start_char: int
    first_line: int
    """First line of the chunk; 0 if its file has no lines."""
    sentences: tuple[tuple[EntrySentence, int], ...]
    """Sentences, each with its end in characters of the document."""


class EntryRows:
    """Reads documents of one vault."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def documents_of(self, sentence_ids: Iterable[int]) -> list[int]:
        """Returns the ids of the documents that contain the sentences, ascending."""
        return [number for (number,) in self._store.rows(_DOCUMENTS_OF, (_json(sentence_ids),))]

    def documents_with_items(self, document_ids: Iterable[int]) -> list[int]:
        """Returns those of the documents that have list items, ascending."""
        return [number for (number,) in self._store.rows(_WITH_ITEMS, (_json(document_ids),))]

    def sentences_of(self, document_ids: Iterable[int]) -> Iterator[EntrySentence]:
        """Yields the sentences of documents in the order of reading, one document after the other."""
        yield from map(_sentence, self._dated(_SENTENCES, _json(document_ids)))

    def sentences(self, sentence_ids: Iterable[int]) -> list[EntrySentence]:
        """Returns sentences by their ids, in the order of reading."""
        return list(map(_sentence, self._dated(_GIVEN, _json(sentence_ids))))

    def naming(self, key: str, sentence_ids: Iterable[int]) -> list[int]:
        """Returns, ascending, those of the sentences that name an entity, also by another of its names, such as the first.

        Args:
            key: key of the entity, as `entity_key` makes it.
            sentence_ids: sentences to look at.
        """
        nodes = [number for (number,) in self._store.rows(_SAME, (key,))] if self._store.value(HAS_MERGES) else []
        return [number for (number,) in self._store.rows(_NAMING, (_json(sentence_ids), _json(nodes)))] if nodes else []

    def names_in(self, sentence_ids: Iterable[int]) -> list[tuple[int, str]]:
        """Returns (sentence id, name) for each entity that a sentence names, by the entity that it was merged into."""
        return [(sentence, name) for sentence, name in self._store.rows(_NAMES_IN, (_json(sentence_ids),))]

    def lines_of(self, sentence_ids: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Returns id → (first line, last line) of sentences; 0 in files without lines."""
        rows = self._store.rows(_LINES, (_json(sentence_ids),))
        return {number: (first_line, last_line) for number, first_line, last_line in rows}

    def named_documents(self) -> list[DocumentLabel]:
        """Returns all documents, by id."""
        return [
            DocumentLabel(number, title, tuple(json.loads(tags)), path_of(path))
            for number, title, tags, path in self._store.rows(_NAMED)
        ]

    def boxed_chunks(self) -> Iterator[BoxedChunk]:
        """Yields each chunk with an empty check box, in the order of reading."""
        for (_, text, start_char, first_line), rows in groupby(self._dated(_BOXED), key=itemgetter(0, 1, 2, 3)):
            sentences = tuple((_sentence(row[4:12]), row[12]) for row in rows)
            yield BoxedChunk(text, start_char, first_line, sentences)

    def _dated(self, query: str, *parameters: str) -> list[Row]:
        """Returns the rows of a query that asks for the days of documents, too."""
        return self._store.rows(query.format(day=day_column(self._store)), parameters)


def _sentence(row: Row) -> EntrySentence:
    number, document, path, title, headings, text, kind, day = row
    over = tuple(headings.split("\n")) if headings else ()
    return EntrySentence(number, document, path_of(path), title, over, text, BlockKind(kind), day)


def _json(ids: Iterable[int]) -> str:
    return json.dumps([int(number) for number in ids])
