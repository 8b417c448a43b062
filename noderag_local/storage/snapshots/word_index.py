"""Finds the sentences that contain the stem of a word, or that mention a day: an inverted index over all sentences of a vault.

The full-text index (FTS5) indexes chunks only, and words without stemming.
"""

from __future__ import annotations

import hashlib
import logging
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.database.distinct import distinct
from noderag_local.storage.documents.each_alone import Failure, each_alone
from noderag_local.storage.documents.texts import SentenceInPlace
from noderag_local.text.dates.dates_in_text import said_dates
from noderag_local.text.dates.day_words import day_words, with_own_days
from noderag_local.text.stems import stems

_log = logging.getLogger(__name__)

_TOLD_EVERY = 2_000
"""Sentences that are read between two reports of progress; a tenth of a second."""


@dataclass(frozen=True, slots=True)
class WordIndex:
    """Index of w stems of content words with the sentences of each, in total m pairs of stem and sentence.

    With it stand the days on which sentences with a relative date were written, which tell the days that they mean.
    """

    stems: NDArray[np.uint64]
    """(w,) hashes of the stems, ascending."""
    ends: NDArray[np.int64]
    """(w,) end of each stem's part of `sentences`, which begins at the end of the previous part."""
    sentences: NDArray[np.integer]
    """(m,) ids, ascending within a stem."""
    relative: NDArray[np.integer]
    """(r,) ids of the sentences with a relative date, such as "yesterday", ascending."""
    written: NDArray[np.int32]
    """(r,) day on which each of them was written, as its ordinal number."""

    @classmethod
    def of_sentences(
        cls, sentences: Iterable[SentenceInPlace], advanced: Callable[[int], None] = lambda done: None
    ) -> WordIndex:
        """Makes the index of sentences.

        Args:
            sentences: those of a document come one after the other, in the order of reading.
            advanced: called now and then with the number of sentences that are read.
        """
        ids, hashes, counts = array("q"), array("Q"), array("q")
        written: dict[int, int] = {}
        for _, document in groupby(sentences, key=lambda one: one.document_id):
            for sentence in _read(list(document)):
                ids.append(sentence.id)
                hashes.extend(sentence.hashes)
                counts.append(len(sentence.hashes))
                if sentence.written is not None:
                    written[sentence.id] = sentence.written
                if len(ids) % _TOLD_EVERY == 0:
                    advanced(len(ids))
        relative = np.fromiter(written, np.int64, len(written)), np.fromiter(written.values(), np.int32, len(written))
        of_sentences = np.repeat(np.array(ids, np.int64), np.array(counts, np.int64))
        return cls._of_pairs(np.array(hashes, np.uint64), of_sentences, *relative)

    @classmethod
    def _of_pairs(
        cls,
        hashes: NDArray[np.uint64],
        sentences: NDArray[np.integer],
        relative: NDArray[np.integer],
        written: NDArray[np.int32],
    ) -> WordIndex:
        order, by_id = np.lexsort((sentences, hashes)), np.argsort(relative)
        hashes, sentences = hashes[order], sentences[order]
        ends = np.append(np.flatnonzero(hashes[1:] != hashes[:-1]) + 1, len(hashes)) if len(hashes) else order
        return cls(hashes[ends - 1], ends, sentences, relative[by_id], written[by_id])

    def changed(self, gone: NDArray[np.int64], added: WordIndex) -> WordIndex:
        """Returns a copy of the index without some sentences and with the sentences of another index.

        Args:
            gone: (k,) ids of sentences to remove; unknown ids are ignored.
            added: index of the sentences that were added.
        """
        hashes = np.repeat(self.stems, np.diff(self.ends, prepend=0))
        kept, kept_days = ~np.isin(self.sentences, gone), ~np.isin(self.relative, gone)
        more = np.repeat(added.stems, np.diff(added.ends, prepend=0))
        return self._of_pairs(
            np.concatenate([hashes[kept], more]),
            np.concatenate([self.sentences[kept], added.sentences]),
            np.concatenate([self.relative[kept_days], added.relative]),
            np.concatenate([self.written[kept_days], added.written]),
        )

    def day_of(self, sentence: int) -> date | None:
        """Returns the day on which a sentence with a relative date was written; None for other sentences."""
        at = int(np.searchsorted(self.relative, sentence))
        is_there = at < len(self.relative) and self.relative[at] == sentence
        return date.fromordinal(int(self.written[at])) if is_there else None

    def sentences_with(self, words: Collection[str]) -> NDArray[np.int64]:
        """Returns the ids (k,), ascending, of the sentences with at least one of the words' stems."""
        hashes = np.array(sorted(map(_hash, words)), np.uint64)
        at = np.searchsorted(self.stems, hashes)
        found = [int(place) for place, word in zip(at, hashes, strict=True) if self._is_at(int(place), word)]
        parts = [self.sentences[self.ends[place - 1] if place else 0 : self.ends[place]] for place in found]
        if len(parts) == 1:
            return np.asarray(parts[0], np.int64)
        return distinct(*parts).astype(np.int64) if parts else np.empty(0, np.int64)

    def _is_at(self, place: int, word: np.uint64) -> bool:
        return place < len(self.stems) and bool(self.stems[place] == word)


@dataclass(frozen=True)
class ChangedWordIndex:
    """An index that stays as it is, with the words of some sentences read again; it answers as `WordIndex` does."""

    before: WordIndex
    gone: NDArray[np.int64]
    """(g,) ids, ascending, of the sentences that `before` must not answer for"""
    added: WordIndex
    """words of those of them that exist now"""

    def day_of(self, sentence: int) -> date | None:
        """Returns what `WordIndex.day_of` returns."""
        at = int(np.searchsorted(self.gone, sentence))
        is_gone = at < len(self.gone) and self.gone[at] == sentence
        return (self.added if is_gone else self.before).day_of(sentence)

    def sentences_with(self, words: Collection[str]) -> NDArray[np.int64]:
        """Returns what `WordIndex.sentences_with` returns."""
        before = self.before.sentences_with(words)
        return distinct(before[~np.isin(before, self.gone)], self.added.sentences_with(words))

    @cached_property
    def relative(self) -> NDArray[np.int64]:
        """Ids of the sentences with a relative date, ascending."""
        before = self.before.relative
        return distinct(before[~np.isin(before, self.gone)], self.added.relative).astype(np.int64)

    def whole(self) -> WordIndex:
        """Returns one index of all sentences."""
        return self.before.changed(self.gone, self.added)


Words = WordIndex | ChangedWordIndex


class _ReadSentence(NamedTuple):
    id: int
    hashes: list[int]
    """Hashes of its words, those for its days included."""
    written: int | None
    """Ordinal number of the day on which it was written, if it has a relative date."""


def _read(document: Sequence[SentenceInPlace]) -> list[_ReadSentence]:
    """Reads the sentences of one document; if that fails, they have no words, and only full text and vectors find them."""
    (read,) = each_alone(lambda documents: map(_read_days_and_words, documents), [document])
    if isinstance(read, Failure):
        _log.error("document %d: its words are not indexed: %s", document[0].document_id, read.kind)
        return [_ReadSentence(one.id, [], None) for one in document]
    return read


def _read_days_and_words(document: Sequence[SentenceInPlace]) -> list[_ReadSentence]:
    return [_read_sentence(sentence, day) for sentence, day in with_own_days(document)]


def _read_sentence(sentence: SentenceInPlace, day: date | None) -> _ReadSentence:
    said = said_dates(sentence.text, day)
    hashes = [_hash(word) for word in (*stems(sentence.text), *day_words(said, day))]
    is_relative = day is not None and any(one.is_relative for one in said)
    return _ReadSentence(sentence.id, hashes, day.toordinal() if day and is_relative else None)


@cache
def _hash(stem: str) -> int:
    """Returns a 64-bit hash of a stem; among a million stems, any two collide with a chance of one in forty million."""
    return int.from_bytes(hashlib.blake2b(stem.encode(), digest_size=8).digest(), "little")
