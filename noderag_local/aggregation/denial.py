"""Tells sentences that only plan something, or say that it was not so, from those that tell of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from noderag_local.aggregation.question_content import Stems
from noderag_local.aggregation.question_phrases import LANGUAGES, in_notes, is_any, phrases, words_of
from noderag_local.text.languages import language_of
from noderag_local.text.no_answers import NO_ANSWERS
from noderag_local.text.stems import all_stems
from noderag_local.text.stopwords import stop_words

_PARTS = re.compile(
    r";\s|\s[–—]\s|(?<=[.!?])\s+(?=[^\W\d_])"
    # "We hiked and nobody cried" tells of a hike.
    r"|,?\s(?:and|but|und|aber|et|mais|y|pero)\s(?=(?:nobody|no one|nothing|niemand|nichts|keiner|personne|rien|nadie|nada)\b)",
    re.IGNORECASE,
)
"""Ends of the parts of a sentence that say something of their own."""
_MORNING = re.compile(r"\b(?:la|esta)\s+mañana\b|\b(?:am|heute|diesen|jeden|gegen)\s+morgen\b", re.IGNORECASE)
"""The morning, in languages whose word for it also means tomorrow."""


def is_planned_or_denied(text: str, asked: Collection[str], wanted: Sequence[Stems]) -> bool:
    """Returns whether a sentence only plans or recommends something, or says that it was not; not by words of the question itself.

    Args:
        text: the sentence.
        asked: casefolded words of the question.
        wanted: stems of each word that the sentence is looked at for. Only the part with most of them counts: "At the pool early;
            there was nobody" denies nothing.
    """
    part = max(_PARTS.split(text), key=lambda part: sum(bool(stems & all_stems(part)) for stems in wanted))
    words = words_of(_MORNING.sub("", part))
    signs = (in_notes("negated") | in_notes("planned")).difference(asked)
    return is_any(words, signs) and is_any(words, signs - _mere_words(language_of(text)))


def is_answered_no(text: str, wanted: Stems) -> bool:
    """Returns whether a line has a label with a word, and nothing but "no" behind it: "Visa needed: no"."""
    label, _, answer = text.rpartition(":")
    return answer.strip(" .!").casefold() in NO_ANSWERS and bool(wanted & all_stems(label))


@cache
def _mere_words(language: str) -> frozenset[str]:
    """Returns the stop words of a language that neither deny nor plan anything in it: Spanish "todo" is no task."""
    if language not in LANGUAGES:
        return frozenset()
    known = phrases(language)
    return stop_words(language) - known.single("negated") - known.single("planned")
