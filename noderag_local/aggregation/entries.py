"""Finds the sentences of the notes that fit what a question is about, each with the day it tells of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, cached_property, reduce
from operator import itemgetter
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from noderag_local.aggregation.question_content import Stems
from noderag_local.aggregation.question_phrases import phrases, words_of
from noderag_local.domain.documents import BlockKind
from noderag_local.domain.passages import Source
from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.entry_rows import BoxedChunk, DocumentLabel, EntryRows, EntrySentence
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.snapshots.word_index import Words
from noderag_local.text.dates.dates_in_text import said_dates
from noderag_local.text.dates.day_words import with_own_days, words_of_speaking, words_of_writing
from noderag_local.text.dates.days import Days
from noderag_local.text.identity import entity_key
from noderag_local.text.people_pages import PeoplePages, plain_name
from noderag_local.text.stems import question_stems, stemmer, without_accents

SAME_LETTERS = 3
"""First letters that a stem has in common with its word in every language that has a stemmer."""
MOST_DOCUMENTS = 2_000
"""Documents beyond which nothing is computed: what so many share is no subject, and reading them would take seconds."""
_ENDS_RANGE = re.compile(r"\d\.?\s?(?:to|until|till|bis|au|al|hasta|[-–])\s?$")
"""What stands before the last day of a range: "11 to" in "11 to 13 September"."""


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """A sentence that fits, and the day that it tells of."""

    sentence: EntrySentence
    written: date | None
    """Day on which the sentence was written; None where nothing tells it."""
    named: date | None
    """Day that the sentence itself names; None where it names none, or several."""
    until: date | None
    """Last day of a range that begins with the named day: "11 to 13 September"."""
    is_of_other_days: bool
    """Whether the sentence names a longer time, such as "last week", in which what it tells of happened."""

    @property
    def day(self) -> date | None:
        """Day that the sentence tells of: the one that it names, or else the one on which it was written."""
        return self.named or (None if self.is_of_other_days else self.written)


class Entries:
    """Finds entries in a vault."""

    def __init__(self, store: Store, words: Words, is_inside: Callable[[int], bool] = lambda _: True) -> None:
        """Keeps the vault.

        Args:
            store: the open vault.
            words: its word index.
            is_inside: tells of a document's id whether it may be used.
        """
        self._store, self._words, self._is_inside = store, words, is_inside
        self._rows = EntryRows(store)

    def with_all(self, wanted: Sequence[Stems], most: int | None = None) -> list[NoteEntry]:
        """Returns the entries whose sentence has each of the words; none if they are more than `most` or in too many documents."""
        if not wanted:
            return []
        ids = reduce(np.intersect1d, (self._words.sentences_with(stems) for stems in wanted))
        return self._entries(ids) if most is None or len(ids) <= most else []

    def with_most(self, wanted: Sequence[Stems], most: int) -> list[NoteEntry]:
        """Returns the entries with the most of some words, at least two; none if they are more than `most`."""
        found = [self._words.sentences_with(stems) for stems in wanted]
        ids, counts = np.unique(np.concatenate([np.empty(0, np.int64), *found]), return_counts=True)
        best = ids[counts == max(counts.max(initial=0), 2)]
        return self._entries(best) if 0 < len(best) <= most else []

    def knows(self, word: str) -> bool:
        """Returns whether a sentence has a word, or another form of it."""
        return any(len(self._words.sentences_with(stems)) for stems in question_stems(word).values())

    def naming(self, names: Sequence[str], wanted: Sequence[Stems]) -> list[NoteEntry]:
        """Returns the entries with each of the words that name everybody; a first name will do if only one has it."""
        found = [*map(self._ids_naming, names), *(self._words.sentences_with(stems) for stems in wanted)]
        return self._entries(reduce(np.intersect1d, found))

    def _ids_naming(self, name: str) -> NDArray[np.int64]:
        every = [self._words.sentences_with(stems) for stems in question_stems(name).values()]
        if not every:
            return np.empty(0, np.int64)
        whole = reduce(np.intersect1d, every)
        by_other_names = self._rows.naming(entity_key(name), every[0].tolist())
        return distinct(whole, np.array(by_other_names, np.int64))

    def names_in(self, sentence_ids: Iterable[int]) -> list[tuple[int, str]]:
        """Returns (sentence id, name) for each entity that a sentence names; entities that are the same have one name."""
        return self._rows.names_in(sentence_ids)

    def of_documents_with(self, document_ids: Collection[int], stems: Stems) -> list[NoteEntry]:
        """Returns the entries of documents whose sentence has one of the stems."""
        ids = self._words.sentences_with(stems)
        return self._entries(ids, set(self._rows.documents_of(ids.tolist())).intersection(document_ids))

    def has_written(self, days: Days) -> bool:
        """Returns whether anything was written on some days."""
        return len(self._words.sentences_with(words_of_writing(days))) > 0

    def on_days(self, days: Days) -> list[NoteEntry]:
        """Returns the entries that were written on some days or name one of them."""
        return self._entries(self._words.sentences_with(words_of_writing(days) | words_of_speaking(days)))

    def documents_with(self, stems: Stems) -> set[int]:
        """Returns the ids of the documents with one of the stems."""
        ids = self._words.sentences_with(stems)
        return {number for number in self._rows.documents_of(ids.tolist()) if self._is_inside(number)}

    def documents_of(self, sentence_ids: Iterable[int]) -> list[int]:
        """Returns the ids of the documents that have some sentences, ascending."""
        return [number for number in self._rows.documents_of(sentence_ids) if self._is_inside(number)]

    def has_page(self, name: str) -> bool:
        """Returns whether a document has a name as its title."""
        return _title_key(name) in self.titles

    def page_of(self, name: str) -> str:
        """Returns the title of the document with this title, or of the only one whose title begins with it; "" without one.

        For a person, words may be left out if only one title fits: "Dr. Pohl" finds "Dr. Ines Pohl".
        """
        key = _title_key(name)
        if key in self.titles:
            return self.titles[key]
        found = [title for begin, title in self.titles.items() if begin.startswith(key)]
        found = found or [self.titles[begin] for begin in self._people if _in_order(key.split(), begin.split())]
        return found[0] if len(found) == 1 else ""

    def begins_title(self, name: str) -> bool:
        """Returns whether a document has a name as its title, or as the first words of it."""
        return _title_key(name) in self._beginnings

    def is_first_name(self, name: str) -> bool:
        """Returns whether a title has more words behind a name: "Ana" of "Ana Lee"."""
        return self.begins_title(name) and not self.has_page(name)

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        words = (title.split() for title in self.titles)
        return frozenset(f" {' '.join(of_one[:end])} " for of_one in words for end in range(1, len(of_one) + 1))

    def is_of_person(self, sentence: EntrySentence) -> bool:
        """Returns whether a sentence stands on the page of a person, by the folder or a tag of the page."""
        return sentence.document_id in self._of_people

    def is_person(self, name: str) -> bool:
        """Returns whether the page of a person has a name as its title."""
        return _title_key(name) in self._people

    @property
    def has_people(self) -> bool:
        """Whether any document is the page of a person."""
        return bool(self._of_people)

    def namesakes(self, first_name: str) -> list[str]:
        """Returns the titles of the pages of people with a first name."""
        return self._by_first_name.get(first_name, [])

    @cached_property
    def _by_first_name(self) -> dict[str, list[str]]:
        titles = sorted({one.title for one in self.documents if one.id in self._of_people})
        found: dict[str, list[str]] = {}
        for title in titles:
            for first_name in _first_names(title):
                found.setdefault(first_name, []).append(title)
        return found

    @cached_property
    def _people(self) -> frozenset[str]:
        titles = [one.title for one in self.documents if one.id in self._of_people]
        return frozenset(key(title) for title in titles for key in (_title_key, _turned))

    @cached_property
    def _of_people(self) -> frozenset[int]:
        pages = PeoplePages((one.path, one.title) for one in self.documents)
        return frozenset(one.id for one in self.documents if pages.has(one.path, one.tags))

    def of_documents(self, document_ids: Iterable[int]) -> list[NoteEntry]:
        """Returns all entries of documents."""
        return list(map(_entry, self._dated(document_ids)))

    def _dated(self, document_ids: Iterable[int]) -> list[tuple[EntrySentence, date | None]]:
        wanted = [number for number in document_ids if self._is_inside(number)]
        return list(with_own_days(self._rows.sentences_of(wanted))) if len(wanted) <= MOST_DOCUMENTS else []

    def with_items(self, document_ids: Iterable[int]) -> set[int]:
        """Returns those of the documents that have list items."""
        return set(self._rows.documents_with_items(document_ids))

    @cached_property
    def documents(self) -> list[DocumentLabel]:
        """All documents that may be used, by id."""
        return [one for one in self._rows.named_documents() if self._is_inside(one.id)]

    @cached_property
    def titles(self) -> dict[str, str]:
        """Titles of documents by their casefolded words, with a space around each word.

        A note about a person with the surname in front, "Haddad Karim", is found by "Karim Haddad" as well.
        """
        found = {_title_key(one.title): one.title for one in self.documents if one.title.strip()}
        turned = {_turned(one.title): one.title for one in self.documents if one.id in self._of_people}
        return turned | found

    @cached_property
    def declined_titles(self) -> dict[str, str]:
        """German titles of several words by their stems, without an article in front: "den Stillen Motor" is "Der stille Motor"."""
        found: dict[str, str] = {}
        articles = phrases("de").single("determiners")
        for key, title in self.titles.items():
            words = key.split()
            words = words[words[0] in articles :] if words else words
            if len(words) > 1:
                found.setdefault(german_key(words), title)
        return found

    def titles_in(self, words: Sequence[str]) -> tuple[str, ...]:
        """Returns the titles of documents that stand in casefolded words, in their order, without those inside another one."""
        asked = f" {' '.join(words)} "
        held = [title for title in self.titles if title in asked]
        whole = [title for title in held if not any(title in other and title != other for other in held)]
        return tuple(self.titles[title] for title in sorted(whole, key=asked.index))

    @cached_property
    def _by_label(self) -> dict[str, list[DocumentLabel]]:
        """Documents by each stem of the name of their folder and of their tags, where the name is one word."""
        found: dict[str, dict[int, DocumentLabel]] = defaultdict(dict)
        for one in self.documents:
            for label in {PurePath(one.path).parent.name, *(tag.strip("#") for tag in one.tags)}:
                words = _stems_of_label(label)
                for stem in words[0] if len(words) == 1 else ():
                    found[stem][one.id] = one
        return {stem: list(documents.values()) for stem, documents in found.items()}

    def labelled(self, stems: Stems) -> list[DocumentLabel]:
        """Returns the documents in folders or with tags of a name, one word and no more, by id."""
        found = {one.id: one for stem in stems for one in self._by_label.get(stem, ())}
        return [found[number] for number in sorted(found)]

    def titled(self, subject: Sequence[Stems]) -> list[DocumentLabel]:
        """Returns the documents whose title or file name has each of the words, by id."""
        shortest = [{stem[:SAME_LETTERS] for stem in stems} for stems in subject]
        likely = (
            one
            for one, text in zip(self.documents, self._folded_names, strict=True)
            if all(any(letters in text for letters in stems) for stems in shortest)
        )
        return [one for one in likely if _has_all(_name_of(one), subject)]

    @cached_property
    def _folded_names(self) -> list[str]:
        return [without_accents(_name_of(one)).casefold() for one in self.documents]

    def boxed_chunks(self) -> Iterator[BoxedChunk]:
        """Yields the chunks with an empty check box, in the order of reading."""
        return (one for one in self._rows.boxed_chunks() if self._is_inside(one.sentences[0][0].document_id))

    def sources(self, entries: Sequence[NoteEntry]) -> list[Source]:
        """Returns the entries as numbered sources, from 1."""
        return self.sources_of([one.sentence.id for one in entries])

    def sources_of(self, sentence_ids: Sequence[int]) -> list[Source]:
        """Returns sentences as numbered sources, from 1."""
        found = TextRows(self._store).passages(sentence_ids)
        return [replace(source, number=number) for number, source in enumerate(found, 1)]

    def _entries(self, ids: NDArray[np.int64], document_ids: Iterable[int] | None = None) -> list[NoteEntry]:
        """Returns the entries of sentences, in some documents alone if these are given."""
        documents = self._rows.documents_of(ids.tolist()) if document_ids is None else sorted(document_ids)
        wanted = set(ids.tolist())
        return [_entry(dated) for dated in self._dated(documents) if dated[0].id in wanted]


def german_key(words: Iterable[str]) -> str:
    """Returns the German stems of casefolded words with a space around each."""
    return f" {' '.join(map(stemmer('de'), words))} "


def _title_key(title: str) -> str:
    return f" {' '.join(words_of(title))} "


def _turned(title: str) -> str:
    """The key of a title of two words in the other order, "Haddad Karim" or "Haddad, Karim"; that of any other as it is."""
    if (plain := plain_name(title)) != title:
        return _title_key(plain)
    words = words_of(title)
    return f" {' '.join(reversed(words) if len(words) == 2 else words)} "


def _first_names(title: str) -> list[str]:
    """The words of a title that may be the first name: both of two, as the surname may stand in front."""
    words = plain_name(title).split()
    return words if len(words) == 2 else words[:1]


def _in_order(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether all words, at least one, are among the others, in this order."""
    rest = iter(others)
    return bool(words) and all(word in rest for word in words)


def _name_of(document: DocumentLabel) -> str:
    return f"{document.title} {document.path.rpartition('/')[2]}"


def _has_all(text: str, subject: Sequence[Stems]) -> bool:
    held = list(question_stems(text).values())
    return all(any(stems & of_word for of_word in held) for stems in subject)


@cache
def _stems_of_label(label: str) -> list[Stems]:
    return list(question_stems(label).values())


def by_day(entries: Iterable[NoteEntry], *, only_named: bool = False) -> list[NoteEntry]:
    """Returns the entries with a day in the order of their days; with `only_named` those alone that name it themselves."""
    entries = [replace(one, written=None) for one in entries] if only_named else entries
    dated = [(one.day, one.sentence.id, one) for one in entries if one.day]
    return [one for *_, one in sorted(dated, key=itemgetter(0, 1))]


def _entry(dated: tuple[EntrySentence, date | None]) -> NoteEntry:
    sentence, written = dated
    text = sentence.text
    found = said_dates(text, written)
    said = [one for one in found if one.days.length == 1]
    ends = {one.days.first for one in said if _ENDS_RANGE.search(text, 0, one.start)}
    named = {one.days.first for one in said} - ends
    is_row = sentence.kind is BlockKind.TABLE_ROW
    day = min(named) if len(named) == 1 or (named and is_row) else None
    return NoteEntry(
        sentence, written, day, max(ends) if day and ends else None, any(one.days.length > 1 for one in found)
    )
