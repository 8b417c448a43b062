"""The word that a person meant, where the notes have none of the words that were typed: "apointment" finds "appointment".

A word is corrected only if the notes lack it, it is no everyday word, and they have exactly one like it: other words with the same first letter that are one
letter away (or two, in long words), by optimal string alignment, which counts two letters that changed places as one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.fulltext import distinct_words
from noderag_local.text.everyday_words import is_everyday_word
from noderag_local.text.stems import question_stems, without_accents

SHORTEST = 4
"""Fewest letters of a word that is corrected; of so few, none may be replaced by another: "lent" is not "lens"."""
LONG = 8
"""Fewest letters of a word in which two may be wrong."""
Vocabulary = Mapping[str, Sequence[str]]
"""First letter → the words of the notes that begin with it, ascending, without accents."""


class StoredVocabulary(Vocabulary):
    """The words of a vault, each letter's read when it is first asked for.

    Going through the letters reads all words, half a second in a vault of 200,000 of them. Only `compounds` does so, for a
    question in a language that joins words.
    """

    def __init__(self, store: Store) -> None:
        """Reads nothing yet."""
        self._store = store
        self._words: dict[str, Sequence[str]] = {}
        self._is_whole = False

    def __getitem__(self, letter: str) -> Sequence[str]:
        """Returns the words that begin with a letter; empty if there are none."""
        if letter not in self._words and not self._is_whole:
            self._words[letter] = distinct_words(self._store, SHORTEST, letter)
        return self._words.get(letter, ())

    def __iter__(self) -> Iterator[str]:
        """Yields the first letters."""
        return iter(self._all())

    def __len__(self) -> int:
        """Returns the number of first letters."""
        return len(self._all())

    def _all(self) -> Mapping[str, Sequence[str]]:
        if not self._is_whole:
            words = distinct_words(self._store, SHORTEST)
            self._words = {letter: list(of_letter) for letter, of_letter in groupby(words, itemgetter(0))}
            self._is_whole = True
        return self._words


def vocabulary(context: SearchContext) -> Vocabulary:
    """Returns the words of the notes that a typed word may have meant; for `SearchContext.layer`."""
    return StoredVocabulary(context.store)


def meant(word: str, words: Vocabulary) -> frozenset[str]:
    """Returns the stems of the one word of the notes that a typed word must mean; empty where there is none, or more than one.

    Args:
        word: casefolded; no word of the notes.
        words: all words of the notes.
    """
    if len(word) < SHORTEST or not word.isalpha() or is_everyday_word(word):
        return frozenset()
    plain = without_accents(word)
    near = _nearest(plain, words.get(plain[0], []))
    stems = {one for found in near for one in question_stems(found).values()}
    return next(iter(stems)) if len(stems) == 1 else frozenset()


def _nearest(word: str, others: Sequence[str]) -> list[str]:
    """Returns the other words at the least distance."""
    from rapidfuzz.distance import OSA, Indel
    from rapidfuzz.process import extract

    most = 2 if len(word) >= LONG else 1
    measure = Indel.distance if len(word) == SHORTEST else OSA.distance
    found = extract(word, others, scorer=measure, score_cutoff=most, limit=None)
    least = min((distance for _, distance, _ in found), default=0)
    return [other for other, distance, _ in found if distance == least]
