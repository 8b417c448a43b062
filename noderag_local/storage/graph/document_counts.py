"""Stores the results of the extraction rules for each document, and their counts over all documents.

The counts are always the sum of the shares in the table `readings`. The share of a removed document stays until it is subtracted
from the counts. So code that removes documents need not know this module, and a kill in between loses nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from noderag_local.storage.database.store import Row, Store

_UNREAD = """
SELECT id FROM documents WHERE id NOT IN (SELECT document_id FROM readings WHERE document_id IS NOT NULL) ORDER BY id
"""
_SENTENCES_OF = """
SELECT count(*) FROM sentences s JOIN chunks c ON c.id = s.chunk_id
WHERE c.document_id IN (SELECT value FROM json_each(?))
"""
_TABLES = ("readings", "said_names", "said_keys", "said_words", "said_aliases", "note_names", "note_links")
_ALIASES = "SELECT first, second FROM said_aliases WHERE"
_AFFECTED = """
SELECT DISTINCT document_id FROM note_links WHERE name IN (SELECT value FROM json_each(?)) ORDER BY 1
"""
_LEADS_TO = """
SELECT document_id, target FROM (
  SELECT l.document_id, n.document_id AS target,
    row_number() OVER (PARTITION BY l.document_id, l.name ORDER BY f.path, d.record) AS place
  FROM note_links l JOIN note_names n ON n.name = l.name
  JOIN documents d ON d.id = n.document_id JOIN files f ON f.id = d.file_id
  WHERE l.document_id IN (SELECT value FROM json_each(?))
) WHERE place = 1 AND target <> document_id GROUP BY 1, 2 ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Share:
    """The numbers that one document adds to the counts."""

    names: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Key of an entity → surface form → number of occurrences."""
    edges: Mapping[str, int] = field(default_factory=dict)
    """Key of an entity → number of its edges from this document."""
    words: Mapping[str, Collection[int]] = field(default_factory=dict)
    """Word → (number of sentences with it, sum of their ids)."""
    marked: Collection[str] = ()
    """Words that the document writes with a capital or with digits."""
    aliases: Collection[Collection[str]] = ()
    """Pairs of keys that mean the same, each pair once and in order."""
    titles: Collection[str] = ()
    """Names by which links may refer to the document."""

    @classmethod
    def unpacked(cls, packed: bytes) -> Share:
        """Converts the stored bytes back to a share."""
        return cls(**json.loads(zlib.decompress(packed)))

    def packed(self) -> bytes:
        """Returns the share as stored bytes, compressed with zlib's fastest level, since every document has a share."""
        return zlib.compress(json.dumps({part.name: getattr(self, part.name) for part in fields(self)}).encode(), 1)


class WordCount(NamedTuple):
    """Number of sentences with a word; a tuple for speed, since a run over all documents makes millions."""

    sentences: int = 0
    id_sum: int = 0
    """Sum of the sentences' ids."""
    marked: int = 0
    """Number of documents that write it with a capital or digits."""

    def plus(self, sentences: int, id_sum: int, marked: int) -> WordCount:
        """Returns the count after adding the given numbers, which may be negative."""
        return WordCount(self.sentences + sentences, self.id_sum + id_sum, self.marked + marked)

    @property
    def only_sentence(self) -> int | None:
        """Returns the id of the sentence if there is exactly one, else None."""
        return self.id_sum if self.sentences == 1 else None


class DocumentCountRows:
    """The tables `readings`, `said_names`, `said_keys`, `said_words`, `said_aliases`, `note_names` and `note_links`.

    Methods that write must be called inside a transaction.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def clear(self) -> None:
        """Removes all readings and counts."""
        for table in _TABLES:
            self._store.run(f"DELETE FROM {table}")

    @property
    def is_behind(self) -> bool:
        """Returns whether a document was added or removed since the counts were updated."""
        return bool(self.unread()) or bool(
            self._store.value("SELECT EXISTS (SELECT 1 FROM readings WHERE document_id IS NULL)")
        )

    def unread(self) -> list[int]:
        """Returns the ids, ascending, of documents that are not counted yet."""
        return [number for (number,) in self._store.rows(_UNREAD)]

    def unread_sentences(self) -> int:
        """Returns the number of sentences in documents that are not counted yet."""
        documents = json.dumps(self.unread())
        return int(self._store.value(_SENTENCES_OF, (documents,)))

    def take_gone(self) -> list[Share]:
        """Returns and deletes the shares of removed documents; the caller subtracts them from the counts."""
        rows = self._store.rows("SELECT share FROM readings WHERE document_id IS NULL ORDER BY id")
        self._store.run("DELETE FROM readings WHERE document_id IS NULL")
        return [Share.unpacked(share) for (share,) in rows]

    def put(self, shares: Mapping[int, Share]) -> None:
        """Stores the share of each document; the caller adds the shares to the counts."""
        self._store.run_many(
            "INSERT INTO readings (document_id, share) VALUES (?, ?)",
            ((document, share.packed()) for document, share in shares.items()),
        )

    def read_anew(self, document_ids: Iterable[int]) -> None:
        """Marks moved documents to be read again, since links may refer to them by other names at the new path."""
        numbers = [(number,) for number in document_ids]
        self._store.run_many("UPDATE readings SET document_id = NULL WHERE document_id = ?", numbers)
        for table in ("note_names", "note_links"):
            self._store.run_many(f"DELETE FROM {table} WHERE document_id = ?", numbers)

    def names(self, keys: Collection[str]) -> dict[str, dict[str, int]]:
        """Returns key → surface form → count; keys without counts are left out."""
        found: dict[str, dict[str, int]] = {}
        for key, name, count in self._of("SELECT key, name, count FROM said_names WHERE key IN", keys):
            found.setdefault(key, {})[name] = count
        return found

    def put_names(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Stores (key, surface form) → its new count; 0 removes it."""
        self._put("said_names", ("key", "name"), "count", ((*place, count) for place, count in counts.items()))

    def edges(self, keys: Collection[str]) -> dict[str, int]:
        """Returns key → number of edges; keys without edges are left out."""
        return dict(self._of("SELECT key, edges FROM said_keys WHERE key IN", keys))

    def put_edges(self, counts: Mapping[str, int]) -> None:
        """Stores key → its new number of edges; 0 removes it."""
        self._put("said_keys", ("key",), "edges", counts.items())

    def words(self, words: Collection[str]) -> dict[str, WordCount]:
        """Returns word → count; words without a count are left out."""
        rows = self._of("SELECT word, sentences, id_sum, marked FROM said_words WHERE word IN", words)
        return {word: WordCount(*count) for word, *count in rows}

    def put_words(self, counts: Mapping[str, WordCount]) -> None:
        """Stores word → new count; removes words that no longer occur."""
        rows = [(word, count.sentences, count.id_sum, count.marked) for word, count in counts.items()]
        self._store.run_many(
            "INSERT OR REPLACE INTO said_words (word, sentences, id_sum, marked) VALUES (?, ?, ?, ?)", rows
        )
        gone = ((word,) for word, sentences, _, marked in rows if not sentences and not marked)
        self._store.run_many("DELETE FROM said_words WHERE word = ?", gone)

    def aliases(self, pairs: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """Returns pair → number of documents with it; pairs without documents are left out."""
        rows = self._of("SELECT first, second, documents FROM said_aliases WHERE first IN", {a for a, _ in pairs})
        return {(first, second): documents for first, second, documents in rows}

    def aliases_among(self, keys: Collection[str]) -> set[tuple[str, str]]:
        """Returns the pairs whose two keys are both among `keys`."""
        rows = self._of(f"{_ALIASES} first IN", keys)
        return {(first, second) for first, second in rows if second in keys}

    def aliases_of(self, keys: Collection[str]) -> set[tuple[str, str]]:
        """Returns the pairs with at least one key among `keys`."""
        return {pair for end in ("first", "second") for pair in self._of(f"{_ALIASES} {end} IN", keys)}

    def put_aliases(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Stores pair → its new number of documents; 0 removes it."""
        self._put("said_aliases", ("first", "second"), "documents", ((*pair, count) for pair, count in counts.items()))

    def put_notes(self, titles: Iterable[tuple[int, str]], links: Iterable[tuple[int, str]]) -> None:
        """Stores (document, name) for the names of documents and for the links in them."""
        for table, rows in (("note_names", titles), ("note_links", links)):
            self._store.run_many(f"INSERT OR IGNORE INTO {table} (document_id, name) VALUES (?, ?)", rows)

    def linking_to(self, names: Collection[str]) -> list[int]:
        """Returns the ids, ascending, of documents with a link that has one of the names."""
        return [number for (number,) in self._store.rows(_AFFECTED, (json.dumps(list(names)),))]

    def leads_to(self, document_ids: Collection[int]) -> list[tuple[int, int]]:
        """Returns (document, target of a link in it); of several targets with the name, the first by path and record."""
        rows = self._store.rows(_LEADS_TO, (json.dumps(list(document_ids)),))
        return [(source, target) for source, target in rows]

    def _of(self, select: str, values: Collection[str]) -> list[Row]:
        return self._store.rows(f"{select} (SELECT value FROM json_each(?))", (json.dumps(list(values)),))

    def _put(self, table: str, key: tuple[str, ...], count: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Stores rows of the key's columns and the column of the count; removes those whose count is 0."""
        written = list(rows)
        columns, places = ", ".join((*key, count)), ", ".join("?" * (len(key) + 1))
        self._store.run_many(
            f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({places})", (row for row in written if row[-1])
        )
        where = " AND ".join(f"{column} = ?" for column in key)
        self._store.run_many(f"DELETE FROM {table} WHERE {where}", (row[:-1] for row in written if not row[-1]))
