"""Reads the rows for the page of a day: calendar entries, sentences that name a day, and recently changed documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from noderag_local.domain.documents import BlockKind
from noderag_local.storage.database.columns import day_column
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Store
from noderag_local.text.check_boxes import BEFORE_BOX

_COLUMNS = """
SELECT s.id, c.document_id, f.path, f.modified_ns, {day}, d.title, c.headings, s.text, s.kind, s.first_line
FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id JOIN files f ON f.id = d.file_id
"""
_CALENDAR = ".ics"
_OF_CALENDARS = f"{_COLUMNS} WHERE f.path LIKE '%{_CALENDAR}' ORDER BY s.id"
_GIVEN = f"{_COLUMNS} WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY s.id"
_OF_CHUNKS = f"{_COLUMNS} WHERE c.id IN (SELECT value FROM json_each(?)) ORDER BY s.id"
_IN_CHUNK = """
SELECT s.id, c.text, s.start_char - c.start_char FROM sentences s JOIN chunks c ON c.id = s.chunk_id
WHERE s.id IN (SELECT value FROM json_each(?))
"""
_BOX = re.compile(rf"{BEFORE_BOX}\[[^\]\n]\][ \t]")
_WITH_WORDS = "SELECT rowid FROM chunk_words WHERE chunk_words MATCH ? ORDER BY rowid"
_CHANGED = """
SELECT d.id, f.path, f.modified_ns, d.record, d.title, count(*) OVER (PARTITION BY f.id)
FROM documents d JOIN files f ON f.id = d.file_id WHERE f.modified_ns >= ? ORDER BY f.modified_ns DESC, f.path, d.record
"""
_CHANGES_OF = """
SELECT f.path, f.modified_ns FROM documents d JOIN files f ON f.id = d.file_id WHERE d.id IN (SELECT value FROM json_each(?))
"""


class DaySentence(NamedTuple):
    """A sentence with its document and its headings."""

    id: int
    document_id: int
    path: str
    modified_ns: int
    """Time of the file's last change in nanoseconds since 1970."""
    day: str
    """Day that the document itself tells, "2026-05-03"; "" where it tells none."""
    title: str
    headings: tuple[str, ...]
    text: str
    kind: BlockKind
    first_line: int

    @property
    def is_of_calendar(self) -> bool:
        """Whether it is from a calendar file, whose entries are read by themselves."""
        return self.path.lower().endswith(_CALENDAR)


class ChangedDocument(NamedTuple):
    """First document of a file that changed."""

    node: int
    path: str
    modified_ns: int
    record: int
    title: str
    documents: int
    """Number of documents in the file."""


class DayRows:
    """Reads sentences and documents of one vault."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of_calendars(self) -> list[DaySentence]:
        """Returns the sentences of all calendar files, in the order of reading."""
        return self._sentences(_OF_CALENDARS)

    def sentences(self, ids: Iterable[int]) -> list[DaySentence]:
        """Returns sentences by their ids, in the order of reading."""
        return self._sentences(_GIVEN, [int(number) for number in ids])

    def with_boxes(self, ids: Iterable[int]) -> set[int]:
        """Returns which of some sentences are on a line with a check box, empty or ticked."""
        rows = self._store.rows(_IN_CHUNK, (json.dumps([int(number) for number in ids]),))
        return {number for number, text, at in rows if _BOX.match(text, text.rfind("\n", 0, at) + 1)}

    def near_words(self, some: Sequence[str], others: Sequence[str], most_chunks: int) -> list[DaySentence]:
        """Returns the sentences of all chunks that have a word of `some` and a word of `others`; none if there are too many such chunks.

        Args:
            some: words of letters and digits.
            others: words of letters and digits.
            most_chunks: number of chunks beyond which nothing is returned.
        """
        if not some or not others:
            return []
        return self._of_chunks_with(" AND ".join(f"({_any_of(words)})" for words in (some, others)), most_chunks)

    def with_phrases(self, phrases: Sequence[str], most_chunks: int) -> list[DaySentence]:
        """Returns the sentences of all chunks that have one of some phrases; none if there are too many such chunks.

        Args:
            phrases: words of letters and digits, with spaces between them.
            most_chunks: number of chunks beyond which nothing is returned.
        """
        return self._of_chunks_with(_any_of(phrases), most_chunks) if phrases else []

    def _of_chunks_with(self, query: str, most_chunks: int) -> list[DaySentence]:
        chunks = [number for (number,) in self._store.rows(_WITH_WORDS, (query,))]
        return self._sentences(_OF_CHUNKS, chunks) if len(chunks) <= most_chunks else []

    def changes_of(self, document_ids: Iterable[int]) -> dict[str, int]:
        """Returns path → time of the last change (nanoseconds since 1970) of the files of some documents."""
        rows = self._store.rows(_CHANGES_OF, (json.dumps(sorted(document_ids)),))
        return {path_of(path): modified_ns for path, modified_ns in rows}

    def changed(self, since_ns: int) -> list[ChangedDocument]:
        """Returns the first document of each file that changed at or after a time, newest first."""
        found = (
            ChangedDocument(node, path_of(path), modified_ns, record, title, documents)
            for node, path, modified_ns, record, title, documents in self._store.rows(_CHANGED, (since_ns,))
        )
        return list({one.path: one for one in reversed(list(found))}.values())[::-1]

    def _sentences(self, query: str, ids: Iterable[int] | None = None) -> list[DaySentence]:
        query = query.format(day=day_column(self._store))
        rows = self._store.rows(query, () if ids is None else (json.dumps(list(ids)),))
        return [
            DaySentence(
                number,
                document,
                path_of(path),
                modified_ns,
                day,
                title,
                tuple(headings.split("\n")) if headings else (),
                text,
                BlockKind(kind),
                first_line,
            )
            for number, document, path, modified_ns, day, title, headings, text, kind, first_line in rows
        ]


def _any_of(words: Sequence[str]) -> str:
    return " OR ".join(f'"{word}"' for word in words)
