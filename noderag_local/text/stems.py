"""Reduces content words to stems, so that "painted" in a question finds "paints" in a note.

Stemming is Snowball's (Porter 2001), by the language of each sentence. A question is too short to tell its language for
sure, so each of its words stands for its stems in all languages of its script.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.keywords import keywords
from noderag_local.text.languages import language_of

if TYPE_CHECKING:
    from collections.abc import Callable

_ALGORITHMS = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "ru": "russian",
    "el": "greek",
    "ar": "arabic",
    "hi": "hindi",
    "hy": "armenian",
}
"""Snowball's name of each language that `language_of` tells and that has a stemmer."""
_SCRIPTS = (
    (re.compile(r"[A-Za-z\u00c0-\u024f]"), ("en", "de", "fr", "es", "it", "pt", "nl")),
    (re.compile(r"[\u0400-\u04ff]"), ("ru",)),
    (re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"), ("el",)),
    (re.compile(r"[\u0600-\u06ff]"), ("ar",)),
    (re.compile(r"[\u0900-\u097f]"), ("hi",)),
    (re.compile(r"[\u0530-\u058f]"), ("hy",)),
)
_ELISION = re.compile(
    r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|un|all|dall|dell|nell|sull|coll|quell|quest)['’](?=\w\w)"
)
"""Articles and prepositions that French and Italian join to the front of a word: "l'armoire", "dell'arte"; Snowball leaves it there.

It is taken off in every language, since a note of a few words is often taken for English or Spanish.
"""
_ACCENTS = re.compile(r"[\u0300-\u036f]")


def stems(sentence: str) -> list[str]:
    """Returns the stems of the content words of a sentence, each once, in the order of the text."""
    stem = stemmer(language_of(sentence))
    return list(dict.fromkeys(stem(word) for word in keywords(sentence)))


def question_stems(question: str) -> dict[str, frozenset[str]]:
    """Returns every stem under which a sentence may have a content word of a question, by the word; no two have the same stems.

    Interrogative words are left out, unless the question has no others.
    """
    words, asking = keywords(question), interrogatives(language_of(question))
    content = [word for word in words if word not in asking] or words
    by_stems = {_forms(word): word for word in reversed(content)}
    return {word: stems for stems, word in reversed(by_stems.items())}


def all_stems(text: str) -> frozenset[str]:
    """Returns every stem of every content word of a short text, as `question_stems` gives them by word."""
    return frozenset[str]().union(*question_stems(text).values())


def _forms(word: str) -> frozenset[str]:
    languages = next((codes for script, codes in _SCRIPTS if script.search(word)), ())
    return frozenset((without_accents(word), *(stemmer(language)(word) for language in languages)))


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """Returns the function that makes stems of casefolded words of a language; for one without a stemmer it only folds accents."""
    if language not in _ALGORITHMS:
        return cache(without_accents)
    from Stemmer import Stemmer

    stem_word = Stemmer(_ALGORITHMS[language]).stemWord
    return cache(lambda word: without_accents(stem_word(_ELISION.sub("", word))))


def without_accents(word: str) -> str:
    """Returns the word without accents; other marks, such as vowel signs of Indic scripts, stay."""
    return word if word.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFKD", word))
