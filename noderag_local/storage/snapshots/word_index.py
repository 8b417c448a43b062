"""Finds the sentences that contain the stem of a word, or that mention a day: an inverted index over all sentences of a vault.

The full-text index (FTS5) indexes chunks only, and words without stemming.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.documents.texts import SentenceInPlace
from noderag_local.text.dates.day_words import day_words, with_own_days
from noderag_local.text.stems import stems


@dataclass(frozen=True, slots=True)
class WordIndex:
    """Index of w stems of content words with the sentences of each, in total m pairs of stem and sentence."""

    stems: NDArray[np.uint64]
    """(w,) hashes of the stems, ascending."""
    ends: NDArray[np.int64]
    """(w,) end of each stem's part of `sentences`, which begins at the end of the previous part."""
    sentences: NDArray[np.int64]
    """(m,) ids, ascending within a stem."""

    @classmethod
    def of_sentences(cls, sentences: Iterable[SentenceInPlace]) -> WordIndex:
        """Makes the index of sentences; those of a document come one after the other, in the order of reading."""
        ids: list[int] = []
        words: list[list[int]] = []
        for sentence, day in with_own_days(sentences):
            ids.append(sentence.id)
            words.append([_hash(word) for word in (*stems(sentence.text), *day_words(sentence.text, day))])
        hashes = np.fromiter((word for of_one in words for word in of_one), np.uint64)
        counts = np.fromiter(map(len, words), np.int64, len(words))
        return cls._of_pairs(hashes, np.repeat(np.asarray(ids, np.int64), counts))

    @classmethod
    def _of_pairs(cls, hashes: NDArray[np.uint64], sentences: NDArray[np.int64]) -> WordIndex:
        order = np.lexsort((sentences, hashes))
        distinct, counts = np.unique(hashes, return_counts=True)
        return cls(distinct, np.cumsum(counts), sentences[order])

    def changed(self, gone: NDArray[np.int64], added: WordIndex) -> WordIndex:
        """Returns a copy of the index without some sentences and with the sentences of another index.

        Args:
            gone: (k,) ids of sentences to remove; unknown ids are ignored.
            added: index of the sentences that were added.
        """
        hashes = np.repeat(self.stems, np.diff(self.ends, prepend=0))
        kept = ~np.isin(self.sentences, gone)
        more = np.repeat(added.stems, np.diff(added.ends, prepend=0))
        return self._of_pairs(
            np.concatenate([hashes[kept], more]), np.concatenate([self.sentences[kept], added.sentences])
        )

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
