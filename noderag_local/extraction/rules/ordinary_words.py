"""Words that a capital at the start of a sentence does not make a name."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from noderag_local.text.stopwords import every_stop_word, stop_words

_NAME_STARTS = "may mine don't put us will can last say same la le el de der san das les los las du del los von van"
"""Stop words of one language that start names, or are names or months, in another."""


def is_opener(word: str) -> bool:
    """Whether a casefolded word is a function word: it is cut off in front of a name that opens a sentence."""
    return word in _openers()


def is_ordinary(word: str) -> bool:
    """Whether a casefolded word is an everyday one: alone at the start of a sentence it is no name."""
    return word in _ordinary() or word in every_stop_word() or (word.endswith(("ly", "ing")) and word.isascii())


@cache
def _openers() -> frozenset[str]:
    languages = ("en", "de", "fr", "es", "it", "pt", "nl", "ru", "el")
    return frozenset().union(*(stop_words(language) for language in languages)) - frozenset(_NAME_STARTS.split())


@cache
def _ordinary() -> frozenset[str]:
    text = (files("noderag_local.extraction.rules") / "ordinary.txt").read_text(encoding="utf-8")
    return frozenset(line.strip() for line in text.splitlines() if line and not line.startswith("#"))
