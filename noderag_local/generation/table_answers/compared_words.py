"""Compares the words of questions, queries and cells."""

from __future__ import annotations

import re

from noderag_local.text.folding import folded

_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 3
"""Letters of the shortest word that tells anything."""


def words_in(text: str) -> list[str]:
    """Returns the words of a text, in lower case and without accents."""
    return list(map(folded, _WORD.findall(text)))


def compared_words(text: str) -> frozenset[str]:
    """Returns the words of a text that may be compared; their plural counts as the same."""
    return frozenset(word.removesuffix("s") for word in words_in(text) if len(word) >= _SHORTEST)
