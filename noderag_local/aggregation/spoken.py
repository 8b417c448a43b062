"""Leaves out of a dictated question what its speaker takes back ("how far, no, wait, how often"), and sounds of hesitation."""

from __future__ import annotations

import re
from functools import cache

from noderag_local.aggregation.question_content import languages_of
from noderag_local.aggregation.question_phrases import phrases

_SENTENCE = re.compile(r"(?<=[.!?…])\s+")


def as_meant(question: str) -> str:
    """Returns a question as its speaker means it; a typed one mostly stays as it is.

    "How far, no, wait, not how far, how often did I run, please?" becomes "how often did I run?".

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
    """
    language = languages_of(question)[0]
    said = _taken_back(language).sub(" ", question)
    kept = (_fillers(language).sub("", sentence).lstrip(" ,.:") for sentence in _SENTENCE.split(said.strip()))
    return " ".join(" ".join(filter(_says_something, kept)).split()) or question


def _says_something(sentence: str) -> bool:
    return any(map(str.isalnum, sentence))


@cache
def _taken_back(language: str) -> re.Pattern[str]:
    """Finds what stands before "no, wait" in its sentence, these words, and what they repeat: "not how far,"."""
    marks = _any_of(language, "second_thoughts")
    nots = _any_of(language, "taken_back")
    return re.compile(rf"[^.!?…]*?[,.–—]\s*{marks}\s*[,.:–—]\s*(?:(?:{nots})\b[^,.!?…]*[,.]\s*)*", re.IGNORECASE)


@cache
def _fillers(language: str) -> re.Pattern[str]:
    """Finds a word of hesitation or courtesy that commas or the ends of a sentence set apart."""
    words = _any_of(language, "hesitations")
    return re.compile(rf"(?:^|,)\s*(?:{words})(?:\s*,\s*(?:{words}))*\s*(?=[,.!?…:]|$)", re.IGNORECASE)


def _any_of(language: str, key: str) -> str:
    """Returns a pattern for the phrases of a key, the longest first."""
    found = sorted(phrases(language).words[key], key=lambda phrase: (-len(phrase), phrase))
    return "(?:" + "|".join(r"[\s,]+".join(map(re.escape, phrase)) for phrase in found) + ")"
