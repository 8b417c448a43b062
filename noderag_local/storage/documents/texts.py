"""Reads stored documents: tables of numbers for the ranking, and texts to show or embed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.documents import BlockKind, Passage, Sentence, WikiLink
from noderag_local.domain.passages import Source
from noderag_local.storage.database.columns import day_column, integer_columns, place_column
from noderag_local.storage.database.spelling import path_of, path_value
from noderag_local.storage.database.store import Row, Store

_BATCH = 500
"""Number of ids in one query; below SQLite's smallest limit on parameters."""

_PASSAGES = """
SELECT s.id, path, record, title, headings, s.first_line, s.last_line, s.start_byte, s.end_byte, s.text, {place}, {day}
FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id
WHERE s.id IN ({places})
"""
_BEGINNINGS = """
SELECT c.text FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM documents) d
JOIN chunks c ON c.document_id = d.id AND c.position = 0 WHERE number % ? = 0 LIMIT ?
"""
_OF_CHUNK = """
SELECT title, headings, s.id, s.text
FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id
WHERE c.id = ? ORDER BY s.id
"""
_BETWEEN = """
SELECT start_byte, end_byte, text FROM chunks c JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id
WHERE path = ? AND record = ? AND end_byte > ? AND start_byte < ? ORDER BY c.id
"""
_AROUND = "SELECT c.start_byte, c.end_byte, c.text FROM sentences s JOIN chunks c ON c.id = s.chunk_id WHERE s.id = ?"
_BEFORE = """
SELECT e.text FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN chunks e ON e.document_id = c.document_id
WHERE s.id = ? AND e.position < c.position ORDER BY e.position DESC LIMIT ?
"""
_TITLES = """
SELECT c.id, d.title FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.id IN (SELECT value FROM json_each(?))
ORDER BY length(d.title), c.id LIMIT ?
"""
_ALIASES = """
SELECT c.id, d.aliases FROM documents d JOIN chunks c ON c.document_id = d.id AND c.position = 0
WHERE d.aliases != '[]' ORDER BY c.id
"""
_EVERYTHING = """
SELECT d.id, path, record, title, d.aliases, d.tags, c.id, c.headings,
  s.id, s.position, s.text, s.kind, s.start_char, s.end_char, s.start_byte, s.end_byte, s.first_line, s.last_line, {column}, s.links, s.tags
FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id
{where} ORDER BY s.id
"""
_IN_CHUNKS = "SELECT s.id, s.chunk_id, s.text FROM sentences s JOIN chunks c ON c.id = s.chunk_id {where} ORDER BY s.id"
_IN_PLACE = "s.id, c.document_id, f.path, d.title, c.headings, s.text, {day}"
_PAGE_IN_PLACE = f"""
SELECT {_IN_PLACE} FROM sentences s CROSS JOIN chunks c ON c.id = s.chunk_id
CROSS JOIN documents d ON d.id = c.document_id CROSS JOIN files f ON f.id = d.file_id WHERE s.id > ? ORDER BY s.id LIMIT ?
"""
_IN_PLACE_OF = f"""
SELECT {_IN_PLACE} FROM documents d CROSS JOIN files f ON f.id = d.file_id CROSS JOIN chunks c ON c.document_id = d.id
CROSS JOIN sentences s ON s.chunk_id = c.id WHERE d.id IN (SELECT value FROM json_each(?))
"""
_PAGE = 20_000
"""Sentences that are read at once; a million would take a gigabyte."""
_OF_CHUNKS = "WHERE c.id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class SentenceTable:
    """Arrays with one entry for each of the n sentences, in the order of the ids."""

    ids: NDArray[np.int64]
    """(n,), ascending"""
    chunk_ids: NDArray[np.int64]
    """(n,)"""
    document_ids: NDArray[np.int64]
    """(n,)"""
    positions: NDArray[np.int32]
    """(n,), 0-based in the document"""
    tokens: NDArray[np.int32]
    """(n,) number of tokens, by the tokenizer that the fact "tokenizer" names"""


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """Arrays with one entry for each of the n chunks, in the order of the ids."""

    ids: NDArray[np.int64]
    """(n,), ascending"""
    document_ids: NDArray[np.int64]
    """(n,)"""
    positions: NDArray[np.int32]
    """(n,), 0-based in the document"""


class SentenceInPlace(NamedTuple):
    """Text of a sentence, with what stands over it."""

    id: int
    document_id: int
    path: str
    title: str
    headings: tuple[str, ...]
    text: str
    day: str = ""
    """Day that the document itself tells, "2026-05-03"; "" where it tells none."""


@dataclass(frozen=True, slots=True)
class ChunkText:
    """Text of a chunk, with its title and headings."""

    title: str
    headings: tuple[str, ...]
    sentence_ids: tuple[int, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """A chunk with its place in the document."""

    start_byte: int
    end_byte: int
    text: str


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of a stored document."""

    id: int
    headings: tuple[str, ...]
    sentence_ids: tuple[int, ...]
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored document with its chunks, as the extraction rules read it."""

    id: int
    path: str
    record: int
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    chunks: tuple[StoredChunk, ...]

    @property
    def sentence_ids(self) -> list[int]:
        """Ids of the sentences of all chunks, in reading order."""
        return [number for chunk in self.chunks for number in chunk.sentence_ids]

    @property
    def sentences(self) -> list[Sentence]:
        """Sentences of all chunks, in reading order."""
        return [sentence for chunk in self.chunks for sentence in chunk.sentences]


class TextRows:
    """Reads the tables `documents`, `chunks` and `sentences`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def beginnings(self, most: int) -> list[str]:
        """Returns the texts of the first chunks of at most `most` documents, spread evenly over the vault."""
        count = int(self._store.value("SELECT count(*) FROM documents"))
        return [text for (text,) in self._store.rows(_BEGINNINGS, (max(1, count // most), most))]

    def sentence_table(self) -> SentenceTable:
        """Reads the table of all sentences from the rows; `Snapshot` has the same table and opens faster."""
        rows = self._store.rows(
            "SELECT s.id, s.chunk_id, c.document_id, s.position, s.tokens FROM sentences s"
            " CROSS JOIN chunks c ON c.id = s.chunk_id ORDER BY s.id"
        )
        ids, chunk_ids, document_ids, positions, tokens = integer_columns(rows, 5)
        return SentenceTable(ids, chunk_ids, document_ids, positions.astype(np.int32), tokens.astype(np.int32))

    def sentences_in_place(self) -> Iterator[SentenceInPlace]:
        """Yields every sentence in the order of the ids, which within a document is that of reading."""
        last, query = -1, _PAGE_IN_PLACE.format(day=day_column(self._store))
        while page := self._store.rows(query, (last, _PAGE)):
            yield from map(_in_place, page)
            last = page[-1][0]

    def sentences_of_documents(self, document_ids: Iterable[int]) -> list[SentenceInPlace]:
        """Returns the sentences of some documents, as `sentences_in_place` yields them."""
        rows = self._store.rows(_IN_PLACE_OF.format(day=day_column(self._store)), (_json_ids(document_ids),))
        return sorted(map(_in_place, rows), key=lambda one: one.id)

    def count_sentences(self) -> int:
        """Counts all sentences."""
        return int(self._store.value("SELECT count(*) FROM sentences"))

    def chunk_table(self) -> ChunkTable:
        """Returns the numbers of every chunk."""
        rows = self._store.rows("SELECT id, document_id, position FROM chunks ORDER BY id")
        ids, document_ids, positions = integer_columns(rows, 3)
        return ChunkTable(ids, document_ids, positions.astype(np.int32))

    def sentence_texts(self, sentence_ids: Iterable[int]) -> list[str]:
        """Returns the texts of sentences, in the order of the ids given.

        Raises:
            KeyError: there is no such sentence.
        """
        wanted = [int(number) for number in sentence_ids]
        found: dict[int, str] = dict(self._by_id("SELECT id, text FROM sentences WHERE id IN ({places})", wanted))
        return [found[number] for number in wanted]

    def passages(self, sentence_ids: Iterable[int]) -> list[Source]:
        """Returns sentences as sources with their places, in the order of the ids given; each source's number is 0.

        Raises:
            KeyError: there is no such sentence.
        """
        wanted = [int(number) for number in sentence_ids]
        query = _PASSAGES.replace("{place}", place_column(self._store, "s.")).replace("{day}", day_column(self._store))
        found = {row[0]: _source(row[1:]) for row in self._by_id(query, wanted)}
        return [found[number] for number in wanted]

    def titles_of(self, chunk_ids: Iterable[int], most: int) -> list[tuple[int, str]]:
        """Returns (chunk id, title of its document) of some chunks, the `most` with the shortest titles, shortest first."""
        return self._store.rows(_TITLES, (_json_ids(chunk_ids), most))

    def aliases(self) -> list[tuple[int, str]]:
        """Returns (id of the document's first chunk, alias) for all aliases that notes give themselves, by chunk."""
        # SQLite's own JSON would fail on half of a surrogate pair, which an import may bring.
        return [(chunk, name) for chunk, names in self._store.rows(_ALIASES) for name in json.loads(names)]

    def chunk_text(self, chunk_id: int) -> ChunkText:
        """Returns the text of a chunk; without sentences if there is no such chunk."""
        rows = self._store.rows(_OF_CHUNK, (chunk_id,))
        title, headings = rows[0][:2] if rows else ("", "")
        return ChunkText(title, _lines(headings), tuple(row[2] for row in rows), tuple(row[3] for row in rows))

    def chunks_between(self, path: str, record: int, start_byte: int, end_byte: int) -> list[PlacedChunk]:
        """Returns the chunks of a document that overlap a part of its file, in reading order."""
        rows = self._store.rows(_BETWEEN, (path_value(path), record, start_byte, end_byte))
        return [PlacedChunk(*row) for row in rows]

    def chunk_around(self, sentence_id: int) -> PlacedChunk:
        """Returns the chunk that holds a sentence.

        Raises:
            KeyError: there is no such sentence.
        """
        rows = self._store.rows(_AROUND, (sentence_id,))
        if not rows:
            raise KeyError(sentence_id)
        return PlacedChunk(*rows[0])

    def texts_before(self, sentence_id: int, most: int) -> list[str]:
        """Returns the texts of at most `most` chunks before the one that holds a sentence, in the same document, nearest first."""
        return [text for (text,) in self._store.rows(_BEFORE, (sentence_id, most))]

    def all_sentences(self) -> Iterator[StoredDocument]:
        """Yields every document that has a sentence, with its sentences, in reading order."""
        return self._documents("")

    def sentences_of(self, document_ids: Iterable[int]) -> Iterator[StoredDocument]:
        """Yields the given documents in the form of `all_sentences`."""
        wanted = json.dumps([int(number) for number in document_ids])
        return self._documents("WHERE d.id IN (SELECT value FROM json_each(?))", wanted)

    def sentences_of_chunks(self, chunk_ids: Iterable[int]) -> Iterator[StoredDocument]:
        """Yields the documents of the given chunks in the form of `all_sentences`, with only these chunks."""
        return self._documents(_OF_CHUNKS, _json_ids(chunk_ids))

    def sentences_by_chunk(self, chunk_ids: Iterable[int]) -> dict[int, list[tuple[int, str]]]:
        """Returns chunk id → (id, text) of each of its sentences, in reading order."""
        found: dict[int, list[tuple[int, str]]] = {}
        for number, chunk, text in self._store.rows(_IN_CHUNKS.format(where=_OF_CHUNKS), (_json_ids(chunk_ids),)):
            found.setdefault(chunk, []).append((number, text))
        return found

    def count_sentences_of_chunks(self, chunk_ids: Iterable[int]) -> int:
        """Returns the number of sentences in the given chunks."""
        sql = "SELECT count(*) FROM sentences WHERE chunk_id IN (SELECT value FROM json_each(?))"
        return int(self._store.value(sql, (_json_ids(chunk_ids),)) or 0)

    def _documents(self, where: str, *parameters: str) -> Iterator[StoredDocument]:
        sql = _EVERYTHING.format(column=place_column(self._store, "s."), where=where)
        rows = self._store.rows(sql, parameters)
        for _, of_document in groupby(rows, key=itemgetter(0)):
            yield _document(list(of_document))

    def _by_id(self, sql: str, ids: Sequence[int]) -> list[Row]:
        rows: list[Row] = []
        for at in range(0, len(ids), _BATCH):
            batch = ids[at : at + _BATCH]
            rows += self._store.rows(sql.format(places=",".join("?" * len(batch))), batch)
        return rows


def _json_ids(ids: Iterable[int]) -> str:
    return json.dumps([int(number) for number in ids])


def label_of(title: str, headings: Sequence[str]) -> str:
    """Joins the title and headings of a chunk in one line, which gives embeddings and language models the chunk's context."""
    return " > ".join(dict.fromkeys(name for name in (title, *headings) if name))


def _source(row: Row) -> Source:
    path, record, title, headings, *rest = row
    return Source(0, path_of(path), record, title, _lines(headings), *rest)


def _document(rows: list[Row]) -> StoredDocument:
    number, path, record, title, aliases, tags = rows[0][:6]
    chunks = tuple(_chunk(list(of_chunk)) for _, of_chunk in groupby(rows, key=itemgetter(6)))
    return StoredDocument(
        number, path_of(path), record, title, tuple(json.loads(aliases)), tuple(json.loads(tags)), chunks
    )


def _chunk(rows: list[Row]) -> StoredChunk:
    return StoredChunk(
        rows[0][6],
        _lines(rows[0][7]),
        tuple(row[8] for row in rows),
        tuple(_sentence(*row[9:]) for row in rows),
    )


def _sentence(
    position: int,
    text: str,
    kind: str,
    start: int,
    end: int,
    start_byte: int,
    end_byte: int,
    first_line: int,
    last_line: int,
    place: str,
    links: str,
    tags: str,
) -> Sentence:
    return Sentence(
        position,
        text,
        BlockKind(kind),
        Passage(start, end, start_byte, end_byte, first_line, last_line, place),
        tuple(WikiLink(target, label) for target, label in json.loads(links)) if links else (),
        tuple(json.loads(tags)) if tags else (),
    )


def _in_place(row: Row) -> SentenceInPlace:
    number, document, path, title, headings, text, day = row
    return SentenceInPlace(number, document, path_of(path), title, _lines(headings), text, day)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()
