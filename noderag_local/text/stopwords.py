"""Stop words by language: "die" is one in German and none in English."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from functools import cache
from importlib.resources import files


@cache
def stop_words(language: str) -> frozenset[str]:
    """Returns the stop words of a language (ISO 639-1), casefolded; none for an unknown language."""
    return _lists().get(language, frozenset())


@cache
def every_stop_word() -> frozenset[str]:
    """Returns the stop words of all languages together."""
    return frozenset().union(*_lists().values())


def stop_words_for(words: Collection[str]) -> frozenset[str]:
    """Returns the stop words of the language that most of `words` belong to, and the English ones.

    Args:
        words: casefolded words of one or more sentences.
    """
    english = stop_words("en")
    seen = set(words)
    best, votes = "en", len(seen & english)
    if 4 * votes >= len(seen):
        return english
    for language, listed in _lists().items():
        score = len(seen & listed)
        if score > votes:
            best, votes = language, score
    return english if best == "en" else stop_words(best)


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = (files("noderag_local.text") / "stopwords.toml").read_text(encoding="utf-8")
    return {language: frozenset(words.casefold().split()) for language, words in tomllib.loads(text).items()}
