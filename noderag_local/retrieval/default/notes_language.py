"""The language that most of the notes are in, by their common words. A question of one word, such as "Eichentisch", shows none."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.documents.fulltext import words_held
from noderag_local.text.stems import without_accents
from noderag_local.text.stopwords import stop_words

LATIN = ("en", "de", "fr", "es", "it", "pt", "nl")
"""Languages of which a question of one word may be."""
SHORTEST = 4
"""Fewest letters of a common word that is looked up: shorter ones belong to several languages."""


def notes_language(context: SearchContext) -> str:
    """Returns the language of the notes, of those in LATIN; for `SearchContext.layer`."""
    return likeliest_language(words_held(context.store, frozenset().union(*map(_common, LATIN))))


def likeliest_language(held: Collection[str]) -> str:
    """Returns the language of which the notes have most of the common words; notes of a few words, with none, may be German.

    Args:
        held: words of the notes, without accents; others than common words do not matter.
    """
    return max(LATIN, key=lambda code: (len(_common(code).intersection(held)) / len(_common(code)), code == "de"))


@cache
def _common(language: str) -> frozenset[str]:
    """Returns the stop words of a language as the index folds them, without the short ones."""
    return frozenset(without_accents(word) for word in stop_words(language) if len(word) >= SHORTEST and word.isalpha())
