"""Reads the notes of one scope for another program: documents, names, dates and tasks, and nothing outside the scope."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

from noderag_local.domain.errors import NotFound
from noderag_local.domain.library import LibraryDocument
from noderag_local.domain.passages import Scope, Source
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from noderag_local.vault.browsing.catalogue import ListedEntity
    from noderag_local.vault.browsing.entity_page import EntityPage
    from noderag_local.vault.browsing.notes_within import NotesWithin
    from noderag_local.vault.browsing.timeline import Moment
    from noderag_local.vault.reader import Reader
    from noderag_local.vault.today.day_lines import DayPage

DAYS_AHEAD = 7
"""Default number of days after a day whose appointments its page lists."""
LEAST_LIKE = 60
"""Similarity, in per cent, from which a title counts as what was meant."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A part of a document."""

    document: LibraryDocument
    start: int
    """Number of the first sentence, from 0."""
    sentences: tuple[Source, ...]
    all_sentences: int


@dataclass(frozen=True, slots=True)
class OpenTask:
    """An empty check box."""

    text: str
    source: Source


class ScopedNotes:
    """The notes of one scope; every method raises VaultMissing, NotFound and SettingsError as `Vault.search` does."""

    def __init__(self, read: Callable[[], Reader], scope: Scope) -> None:
        """Takes a function that returns the vault's reader, and the scope."""
        self._read = read
        self._scope = scope

    def documents(self) -> list[LibraryDocument]:
        """Returns the documents, by path and record."""
        from noderag_local.graph.summaries.model_stage import READING_CHUNKS
        from noderag_local.storage.browsing.library_rows import LibraryRows

        reader = self._read()
        within = reader.notes_within(self._scope).documents
        return [one for one in LibraryRows(reader.store).documents(READING_CHUNKS) if one.node in within]

    def recent(self, since: date | None, limit: int) -> list[LibraryDocument]:
        """Returns the documents whose files were changed last, the newest first, of a day and later ones if one is given."""
        found = sorted(self.documents(), key=lambda one: (-one.modified_ns, one.path, one.record))
        return [one for one in found if since is None or changed_on(one) >= since][:limit]

    def find_documents(self, query: str, limit: int) -> list[LibraryDocument]:
        """Returns the documents whose title or file name is like the query, the likest first."""
        from rapidfuzz.fuzz import WRatio

        from noderag_local.text.folding import folded

        wanted = folded(query)
        scored = ((max(WRatio(wanted, folded(name)) for name in _names(one)), one) for one in self.documents())
        likely = [(score, one) for score, one in scored if score >= LEAST_LIKE]
        ordered = sorted(likely, key=lambda pair: (-pair[0], pair[1].path, pair[1].record))
        return [one for _, one in ordered[:limit]]

    def document(self, name: str, record: int | None = None) -> LibraryDocument:
        """Returns the document with a path, the end of a path or a title.

        Args:
            name: path, end of the path or title, in any case.
            record: number of the document in its file, from 0; None means any.

        Raises:
            NotFound: there is none in the scope; the message names similar ones.
        """
        found = [one for one in self.documents() if record is None or one.record == record]
        folded_name = name.strip().casefold()
        tests: tuple[Callable[[LibraryDocument], bool], ...] = (
            lambda one: name in (one.path, printable(one.path)),
            lambda one: one.title.casefold() == folded_name,
            lambda one: f"/{printable(one.path).casefold()}".endswith(f"/{folded_name.lstrip('/')}"),
        )
        for test in tests:
            if match := next(filter(test, found), None):
                return match
        near = [one.title or os.path.basename(one.path) for one in self.find_documents(name, 3)]
        hint = f" Did you mean: {', '.join(near)}?" if near else ""
        raise NotFound(f"No document is called {printable(name)!r}.{hint}")

    def read(self, name: str, record: int | None, line: int, start: int, limit: int) -> ReadPage:
        """Returns a part of a document.

        Args:
            name: as for `document`.
            record: as for `document`.
            line: the part begins with the sentence on this line; 0 means that `start` decides.
            start: number of the first sentence, from 0.
            limit: most sentences.

        Raises:
            NotFound: there is no such document in the scope, or its text ends before.
        """
        from noderag_local.storage.browsing.overview import Overview
        from noderag_local.storage.documents.texts import TextRows

        document = self.document(name, record)
        store = self._read().store
        with store.steady():
            ids = Overview(store).sentences_of_document(document.node)
            if line:
                start = _row_at(TextRows(store).passages(ids), line)
                if start == len(ids):
                    raise NotFound(f"This document has no text on line {line} or behind it.")
            if ids and start >= len(ids):
                raise NotFound(f"This document has {len(ids)} sentences; {start} is behind its end.")
            passages = TextRows(store).passages(ids[start : start + limit])
        return ReadPage(document, start, tuple(passages), len(ids))

    def names(self, query: str, limit: int) -> list[ListedEntity]:
        """Returns the entities whose name has every word of the query, best first."""
        entities = self._within().entities
        return [entities.entity(row) for row in islice(entities.matching(query), limit)]

    def entity(self, name: str) -> EntityPage:
        """Returns what the notes say about an entity.

        Raises:
            NotFound: no note in the scope names it.
        """
        from noderag_local.vault.browsing.entity_page import entity_page, entity_page_within

        within = self._within()
        found = self.names(name, 1)
        if not found:
            raise NotFound(f"No note names {printable(name)!r}. Search for the words instead.")
        if self._scope.is_everything:
            return entity_page(within.store, found[0].node, within.entities.counted_for(found[0].node))
        shown = frozenset(within.entities.ids.tolist())
        return entity_page_within(within.store, found[0].node, within.sentences, shown)

    def timeline(self, first: date, last: date, limit: int) -> tuple[list[Moment], int]:
        """Returns the sentences that name a day, month or year between two days, in order, and how many there are."""
        from noderag_local.vault.browsing.timeline import moments

        reader, within = self._read(), self._within()
        timeline = reader.timeline if self._scope.is_everything else reader.timeline.within(within.sentences)
        earliest, latest = (day.isoformat() for day in (first, last))
        rows = [
            number
            for number, row in enumerate(timeline.rows)
            if row.label[:4].isdigit() and earliest[: len(row.label)] <= row.label and row.label <= latest
        ]
        if not rows:
            return [], 0
        wanted = rows[:limit]
        texts = moments(reader.store, timeline, wanted[0], wanted[-1] + 1)
        return [texts[row] for row in wanted if row in texts], len(rows)

    def tasks(self, about: str) -> list[OpenTask]:
        """Returns the empty check boxes, in reading order; with `about` those alone whose note or line has its words."""
        from noderag_local.aggregation.computed import AnswerPart
        from noderag_local.aggregation.operation_cues import Operation
        from noderag_local.aggregation.operations.open_tasks import open_tasks
        from noderag_local.aggregation.plan import Plan
        from noderag_local.aggregation.question_phrases import phrases
        from noderag_local.text.stems import question_stems

        entries = self._read().entries_within(self._scope)
        wanted = tuple(question_stems(about).items())
        found = open_tasks(Plan(Operation.TASKS, phrases("en"), "en", wanted, (), (), (), False), entries)
        parts: Sequence[AnswerPart] = found.parts if found else ()
        sources = entries.sources([part.entries[0] for part in parts])
        return [OpenTask(part.text, source) for part, source in zip(parts, sources, strict=True)]

    def day(self, today: date, days_ahead: int = DAYS_AHEAD) -> DayPage:
        """Returns the page of a day, with the appointments of some days after it."""
        from noderag_local.storage.snapshots.snapshot import Snapshot
        from noderag_local.vault.today.day_page import day_page

        reader = self._read()
        is_inside = self._within().documents.__contains__ if not self._scope.is_everything else lambda _: True
        # Only the word index is loaded: what else a search needs takes longer to load than the page.
        return day_page(reader.store, Snapshot.open(reader.store).words, today, days_ahead, is_inside)

    def _within(self) -> NotesWithin:
        return self._read().notes_within(self._scope)


def changed_on(document: LibraryDocument) -> date:
    """Returns the day of the last change of a document's file."""
    return date.fromtimestamp(document.modified_ns / 1e9)


def _names(document: LibraryDocument) -> list[str]:
    file = os.path.basename(document.path)
    return [name for name in (document.title, os.path.splitext(file)[0], file) if name]


def _row_at(sentences: Sequence[Source], line: int) -> int:
    """Returns the first sentence on a line or behind it."""
    return next((row for row, one in enumerate(sentences) if one.last_line >= line), len(sentences))
