"""Leaves out of a dictated question what its speaker takes back ("how far, no, wait, how often"), and sounds of hesitation."""

from __future__ import annotations

import re
from functools import cache

from noderag_local.aggregation.question_content import languages_of
from noderag_local.aggregation.question_phrases import phrases

_SENTENCE_ENDS = ".!?…"
_SENTENCE = re.compile(rf"(?<=[{_SENTENCE_ENDS}]) ")


def as_meant(question: str) -> str:
    """Returns a question as its speaker means it; a typed one mostly stays as it is.

    "How far, no, wait, not how far, how often did I run, please?" becomes "how often did I run?".

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
    """
    language = languages_of(question)[0]
    said = " ".join(question.split())
    kept = (
        _fillers(language).sub("", sentence).lstrip(" ,.:")
        for sentence in _SENTENCE.split(_without_second_thoughts(said, language))
    )
    meant = " ".join(filter(_says_something, kept))
    return question if meant in ("", said) else meant


def _without_second_thoughts(said: str, language: str) -> str:
    """Leaves out what stands before "no, wait" in its sentence, these words, and what they repeat: "not how far,"."""
    while mark := _second_thought(language).search(said):
        begin = max(said.rfind(end, 0, mark.start()) for end in _SENTENCE_ENDS) + 1
        rest = said[mark.end() :].lstrip()
        while repeated := _taken_back(language).match(rest):
            rest = rest[repeated.end() :].lstrip()
        said = f"{said[:begin]} {rest}".strip()
    return said


def _says_something(sentence: str) -> bool:
    return any(map(str.isalnum, sentence))


@cache
def _second_thought(language: str) -> re.Pattern[str]:
    """Finds "…, no, wait, …"."""
    return re.compile(rf"[,.–—] ?{_any_of(language, 'second_thoughts')} ?[,.:–—]", re.IGNORECASE)


@cache
def _taken_back(language: str) -> re.Pattern[str]:
    """Finds "not how far," at the beginning."""
    return re.compile(rf"{_any_of(language, 'taken_back')}\b[^,{_SENTENCE_ENDS}]*[,.]", re.IGNORECASE)


@cache
def _fillers(language: str) -> re.Pattern[str]:
    """Finds a word of hesitation or courtesy that commas or the ends of a sentence set apart."""
    words = _any_of(language, "hesitations")
    return re.compile(rf"(?:^|,) ?{words} ?(?=[,:{_SENTENCE_ENDS}]|$)", re.IGNORECASE)


def _any_of(language: str, key: str) -> str:
    """Returns a pattern for the phrases of a key, the longest first."""
    found = sorted(phrases(language).words[key], key=lambda phrase: (-len(phrase), phrase))
    return "(?:" + "|".join("(?: |, ?)".join(map(re.escape, phrase)) for phrase in found) + ")"
