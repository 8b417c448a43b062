"""Finds the sentences that contain the stem of a word, or that mention a day: an inverted index over all sentences of a vault.

The full-text index (FTS5) indexes chunks only, and words without stemming.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.documents.texts import SentenceInPlace
from noderag_local.text.dates.dates_in_text import said_dates
from noderag_local.text.dates.day_words import day_words, with_own_days
from noderag_local.text.stems import stems


@dataclass(frozen=True, slots=True)
class WordIndex:
    """Index of w stems of content words with the sentences of each, in total m pairs of stem and sentence.

    With it stand the days on which sentences with a relative date were written, which tell the days that they mean.
    """

    stems: NDArray[np.uint64]
    """(w,) hashes of the stems, ascending."""
    ends: NDArray[np.int64]
    """(w,) end of each stem's part of `sentences`, which begins at the end of the previous part."""
    sentences: NDArray[np.int64]
    """(m,) ids, ascending within a stem."""
    relative: NDArray[np.int64]
    """(r,) ids of the sentences with a relative date, such as "yesterday", ascending."""
    written: NDArray[np.int32]
    """(r,) day on which each of them was written, as its ordinal number."""

    @classmethod
    def of_sentences(cls, sentences: Iterable[SentenceInPlace]) -> WordIndex:
        """Makes the index of sentences; those of a document come one after the other, in the order of reading."""
        ids: list[int] = []
        words: list[list[int]] = []
        written: dict[int, int] = {}
        for sentence, day in with_own_days(sentences):
            ids.append(sentence.id)
            said = said_dates(sentence.text, day)
            words.append([_hash(word) for word in (*stems(sentence.text), *day_words(said, day))])
            if day and any(one.is_relative for one in said):
                written[sentence.id] = day.toordinal()
        hashes = np.fromiter((word for of_one in words for word in of_one), np.uint64)
        counts = np.fromiter(map(len, words), np.int64, len(words))
        relative = np.fromiter(written, np.int64, len(written)), np.fromiter(written.values(), np.int32, len(written))
        return cls._of_pairs(hashes, np.repeat(np.asarray(ids, np.int64), counts), *relative)

    @classmethod
    def _of_pairs(
        cls,
        hashes: NDArray[np.uint64],
        sentences: NDArray[np.int64],
        relative: NDArray[np.int64],
        written: NDArray[np.int32],
    ) -> WordIndex:
        order, by_id = np.lexsort((sentences, hashes)), np.argsort(relative)
        distinct, counts = np.unique(hashes, return_counts=True)
        return cls(distinct, np.cumsum(counts), sentences[order], relative[by_id], written[by_id])

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
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)

    def _is_at(self, place: int, word: np.uint64) -> bool:
        return place < len(self.stems) and bool(self.stems[place] == word)


@cache
def _hash(stem: str) -> int:
    """Returns a 64-bit hash of a stem; among a million stems, any two collide with a chance of one in forty million."""
    return int.from_bytes(hashlib.blake2b(stem.encode(), digest_size=8).digest(), "little")
