"""Finds documents, entities and passages while a person types: by their names first, then by the words of their text."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.retrieval.scope import documents_within
from noderag_local.retrieval.search_line import SearchLine
from noderag_local.storage.browsing.document_names import DocumentNames, document_names
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.fulltext import chunks_begun
from noderag_local.storage.documents.texts import TextRows
from noderag_local.text.dates.days import Days
from noderag_local.text.dates.document_days import days_of
from noderag_local.text.folding import folded
from noderag_local.vault.browsing.catalogue import EntityCatalogue
from noderag_local.vault.browsing.name_search import IN_ORDER, NameSearch

MOST_DOCUMENTS = 100
"""Documents that are listed by their names, or by the time of their change."""
MOST_ENTITIES = 20
MOST_PASSAGES = 100
MOST_OF_ONE = 3
"""Passages of one document that are listed for their words: the others are a key away, in the document itself."""
RANKED_CHUNKS = 1000
"""Chunks of which those of MOST_PASSAGES are taken."""
_DAY_LETTERS = len("2026-11-25")
FEWEST_LETTERS = 2
"""Characters of a word that the text is searched for; shorter ones begin a large part of all words."""


class HitKind(StrEnum):
    """What a hit is, and why it is one."""

    TITLE = "title"
    """A document, by its title, an alias or the name of its file."""
    NAME = "name"
    """An entity, by one of its names."""
    TALK = "talk"
    """A conversation, by its name."""
    TEXT = "text"
    """A passage, by its words."""
    MEANING = "meaning"
    """A passage that the vault's own search finds."""
    CHANGED = "changed"
    """A document, by the time of its last change."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """Something that was found."""

    kind: HitKind
    node: int
    """Id of the document or entity; of a passage that of its document; of a conversation its own id."""
    name: str
    """Title of the document, or the name of its file; name of the entity or conversation."""
    distance: int
    """How near the name is to what was typed, as in `name_search`; 0 for what was not found by a name."""
    path: str = ""
    """Path of the document; "" for entities and conversations."""
    alias: str = ""
    """Name other than the title by which the document was found; "" if there is none."""
    source: Source | None = None
    """The passage; None for everything else."""
    days: Days | None = None
    """Days that the document is about, or the day on which the conversation changed; None for entities."""
    changed: date | None = None
    """Day on which the document was last changed, if it was found by that."""
    mentions: int = 0
    """Number of sentences that mention the entity."""

    @property
    def day(self) -> date | None:
        """Last of its days; None for entities."""
        return self.days.last if self.days else None

    @property
    def day_told(self) -> str:
        """Returns the day as a list shows it: a month or year by its name, a week by its last day; "" for entities."""
        if self.days is None:
            return ""
        told = str(self.days)
        return told if len(told) <= _DAY_LETTERS else str(self.days.last)


@dataclass(frozen=True, slots=True)
class SearchHits:
    """What is found at once for a line."""

    hits: tuple[SearchHit, ...]
    """Documents and entities by their names, the nearest first; then passages, the best first."""
    documents: int
    """Number of all documents that their names find, or that the filters keep."""
    entities: int
    """Number of all entities that their names find."""


class DocumentCatalogue:
    """The names of all documents in one state of a vault, in rows ordered by id."""

    def __init__(self, store: Store) -> None:
        """Reads the names."""
        self._store = store
        self.documents = document_names(store)
        self.search = NameSearch(map(_names, self.documents))
        self._last: tuple[SearchLine, NDArray[np.bool_]] | None = None

    @cached_property
    def newest_first(self) -> list[int]:
        """All rows, the most recently changed document first, ties by id."""
        return sorted(range(len(self.documents)), key=lambda row: (-self.documents[row].modified_ns, row))

    @cached_property
    def place_by_time(self) -> dict[int, int]:
        """Row of each document → its place in `newest_first`."""
        return {row: place for place, row in enumerate(self.newest_first)}

    @cached_property
    def row_of(self) -> dict[tuple[str, int], int]:
        """Path and record of each document → its row."""
        return {(one.path, one.record): row for row, one in enumerate(self.documents)}

    @cached_property
    def kinds(self) -> list[str]:
        """Endings of files that some document has, the commonest first."""
        kinds = Counter(one.kind for one in self.documents if one.kind)
        return sorted(kinds, key=lambda kind: (-kinds[kind], kind))

    def kept(self, line: SearchLine) -> NDArray[np.bool_]:
        """Returns whether the filters of a line keep each document, (d,); raises the errors of `documents_within`."""
        filters = SearchLine("", line.scope, line.kind)
        # Cached, because every letter after a filter asks for it again.
        if self._last is None or self._last[0] != filters:
            chosen = np.ones(len(self.documents), dtype=bool)
            if not line.scope.is_everything:
                chosen = documents_within(self._store, line.scope)[1]
            if line.kind:
                chosen = chosen & np.fromiter((one.kind == line.kind for one in self.documents), bool, len(chosen))
            self._last = filters, chosen
        return self._last[1]


class InstantSearch:
    """Searches one state of a vault."""

    def __init__(self, store: Store, entities: EntityCatalogue, documents: DocumentCatalogue) -> None:
        self._store = store
        self._entities = entities
        self._documents = documents

    @property
    def kinds(self) -> list[str]:
        """Endings of files that some document has, the commonest first."""
        return self._documents.kinds

    def find(self, line: SearchLine) -> SearchHits:
        """Returns what names and words find; the same line finds the same in the same order.

        Raises:
            NotFound, SettingsError: as for `retrieval.scope.documents_within`.
        """
        kept = self._documents.kept(line)
        if not line.words:
            rows = [row for row in self._documents.newest_first if kept[row]]
            shown = rows[:MOST_DOCUMENTS]
            return SearchHits(tuple(self._document(HitKind.CHANGED, row, 0) for row in shown), len(rows), 0)
        titles = self._titles(line, kept)
        names = [] if line.has_filters else self._names(line.words)
        by_name = [
            *(self._document(HitKind.TITLE, row, near, line.words) for near, row in titles[:MOST_DOCUMENTS]),
            *(self._entity(row, near) for near, row in names[:MOST_ENTITIES]),
        ]
        # Sorting keeps documents before entities, and the order of each.
        by_name.sort(key=lambda hit: hit.distance)
        return SearchHits((*by_name, *self._passages(line, kept)), len(titles), len(names))

    def by_meaning(self, found: Retrieval, line: SearchLine, shown: Sequence[SearchHit]) -> tuple[SearchHit, ...]:
        """Returns the passages of a search that the filters keep and that are not listed already, best first."""
        kept = self._documents.kept(line)
        placed = [(self._documents.row_of.get((source.path, source.record)), source) for source in found.sources]
        listed = [hit.source for hit in shown if hit.source is not None]
        return tuple(
            self._passage(HitKind.MEANING, row, source)
            for row, source in placed
            if row is not None and kept[row] and not any(_overlap(source, other) for other in listed)
        )

    def _titles(self, line: SearchLine, kept: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Returns (distance, row) of the documents that the words name, the nearest first, then the newest."""
        place = self._documents.place_by_time
        found = {row: near for near, rows in enumerate(self._documents.search.matching(line.words)) for row in rows}
        if len(found) < MOST_DOCUMENTS:
            for row in self._documents.search.in_order(line.words):
                found.setdefault(row, IN_ORDER)
        return sorted(
            ((near, row) for row, near in found.items() if kept[row]), key=lambda one: (one[0], place[one[1]])
        )

    def _names(self, words: str) -> list[tuple[int, int]]:
        search = self._entities.search
        found = [(near, row) for near, rows in enumerate(search.matching(words)) for row in rows]
        # There may be a hundred thousand names, and letters in order help where nothing else is found.
        return found or [(IN_ORDER, row) for row in search.in_order(words)]

    def _passages(self, line: SearchLine, kept: NDArray[np.bool_]) -> Iterator[SearchHit]:
        words = [word for word in line.words.split() if len(word) >= FEWEST_LETTERS or not word.isascii()]
        chunks = _taken(chunks_begun(self._store, " ".join(words), RANKED_CHUNKS, self._within(line, kept)))
        texts = TextRows(self._store)
        of_chunk = texts.sentences_by_chunk(chunks)
        searched = [folded(word) for word in words]
        sentences = [_best_sentence(of_chunk[chunk], searched) for chunk in chunks if chunk in of_chunk]
        for source in texts.passages(sentences):
            row = self._documents.row_of.get((source.path, source.record))
            if row is not None:
                yield self._passage(HitKind.TEXT, row, source)

    def _within(self, line: SearchLine, kept: NDArray[np.bool_]) -> list[int] | None:
        """Returns the ids of the documents that the filters keep; None if that is all of them."""
        if not line.has_filters:
            return None
        return [self._documents.documents[row].node for row in np.flatnonzero(kept).tolist()]

    def _document(self, kind: HitKind, row: int, distance: int, words: str = "") -> SearchHit:
        one = self._documents.documents[row]
        return SearchHit(
            kind,
            one.node,
            one.name,
            distance,
            one.path,
            _other_name(one, words),
            days=Days(*days_of(one.path, one.modified_ns, one.day)),
            changed=datetime.fromtimestamp(one.modified_ns / 1e9).date() if kind is HitKind.CHANGED else None,
        )

    def _entity(self, row: int, distance: int) -> SearchHit:
        entity = self._entities.entity(row)
        return SearchHit(HitKind.NAME, entity.node, entity.name, distance, mentions=entity.mentions)

    def _passage(self, kind: HitKind, row: int, source: Source) -> SearchHit:
        one = self._documents.documents[row]
        days = Days(*days_of(one.path, one.modified_ns, one.day))
        return SearchHit(kind, one.node, one.name, 0, one.path, source=source, days=days)


def _names(document: DocumentNames) -> list[str]:
    stem = os.path.splitext(os.path.basename(document.path))[0]
    return [name for name in (document.title, *document.aliases, stem) if name]


def _other_name(document: DocumentNames, words: str) -> str:
    """Returns the alias that has all of the words, if the title lacks one of them; "" otherwise."""
    wanted = folded(words).split()
    names = [document.name, *document.aliases] if wanted else []
    having = (name for name in names if all(word in folded(name) for word in wanted))
    found = next(having, document.name)
    return "" if found == document.name else found


def _taken(chunks: Iterable[tuple[int, int]]) -> list[int]:
    """Returns the best chunks, at most MOST_OF_ONE of each document."""
    taken: list[int] = []
    counts: Counter[int] = Counter()
    for chunk, document in chunks:
        if counts[document] < MOST_OF_ONE and len(taken) < MOST_PASSAGES:
            counts[document] += 1
            taken.append(chunk)
    return taken


def _best_sentence(sentences: Sequence[tuple[int, str]], words: Sequence[str]) -> int:
    """Returns the id of the first sentence with the most words, counting those that stand at the beginning of a word twice."""

    def score(sentence: tuple[int, str]) -> int:
        text = f" {folded(sentence[1])}"
        return sum((word in text) + (f" {word}" in text) for word in words)

    return max(sentences, key=score)[0]


def _overlap(first: Source, second: Source) -> bool:
    is_same = (first.path, first.record) == (second.path, second.record)
    return is_same and first.start_byte < second.end_byte and second.start_byte < first.end_byte
