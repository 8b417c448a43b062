"""Words that are written as one in the question and apart in the notes, or the other way round.

German and Dutch join nouns: "Zahnarzttermin" is a "Termin beim Zahnarzt", and who asks for a
"Schlüssel" may have written "Fahrradschlüssel". Only a word that the notes lack is looked at, and its parts must be words of
the notes, so nothing that is found by its own words changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

from noderag_local.retrieval.default.spelling import Vocabulary
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.languages import language_of
from noderag_local.text.stems import question_stems, stemmer, without_accents
from noderag_local.text.stopwords import every_stop_word, stop_words

COMPOUNDING = frozenset(("de", "nl"))
"""Languages that write compounds as one word."""
SHORTEST = 4
"""Fewest letters of each part."""
LONG = 5
"""Letters of both parts that are no accident, so that the first need not be a word of the notes."""
LONGEST_ENDING = 2
"""Most letters by which a part may differ from the word of the notes: "Termine" is "Termin"."""
LONGEST_QUESTION = 500
"""Characters of a question of which words are taken apart: each looks through all words of the notes, and a pasted text has hundreds."""
JOINTS = ("", "s", "n", "en", "es", "er", "e")
"""Letters between two parts."""


def parts(word: str, question: str, words: Vocabulary, notes_language: Callable[[], str]) -> tuple[frozenset[str], ...]:
    """Returns the stems of each of the words that stand for one which the notes lack; empty if there are none.

    Args:
        word: casefolded; no word of the notes.
        question: the whole question, which tells the language.
        words: all words of the notes.
        notes_language: returns the language of the notes; asked only for a question without any common word.
    """
    if len(question) > LONGEST_QUESTION:
        return ()
    word = without_accents(word)
    language = _language(question, notes_language)
    if language not in COMPOUNDING or len(word) < SHORTEST or not word.isalpha():
        return ()
    stem = stemmer(language)
    longer = _compounds_with(stem(word), words)
    if longer:
        return (_stems(longer),)
    splits = [
        (first, last)
        for at in range(SHORTEST, len(word) - SHORTEST + 1)
        if (first := _first_part(word[:at], words)) and (last := _like(stem(word[at:]), words))
    ]
    # The split in the middle is the likeliest: a part of four letters is often there by chance.
    best = min(splits, key=lambda found: abs(len(found[0][0]) - len(found[1][0])), default=None)
    return tuple(_stems(found) for found in best) if best else ()


def _language(question: str, notes_language: Callable[[], str]) -> str:
    """Returns the language of a question; a short one may show it only by the word that it asks with: "Welches …?".

    One without any common word, such as "Eichentisch", is taken for one in the language of the notes.
    """
    asked = frozenset(question.casefold().split())
    if language_of(question) != "en" or asked & interrogatives("en"):
        return language_of(question)
    if not asked & every_stop_word():
        return notes_language()
    asking = (code for code in ("de", "nl") if asked & interrogatives(code) - stop_words("en"))
    return next(asking, "en")


def _first_part(text: str, words: Vocabulary) -> list[str]:
    """Returns the words of the notes that are the first part of a compound, without the letters that join it to the next."""
    bare = (text.removesuffix(joint) for joint in JOINTS if text.endswith(joint))
    return next((found for one in bare if len(one) >= SHORTEST and (found := _like(one, words))), [])


def _like(stem: str, words: Vocabulary) -> list[str]:
    """Returns the words of the notes that are a stem with at most a short ending."""
    return [word for word in _beginning_with(stem, words) if len(word) - len(stem) <= LONGEST_ENDING]


def _compounds_with(stem: str, words: Vocabulary) -> list[str]:
    """Returns the words of the notes of which a stem is the last part, or the first."""
    if len(stem) < SHORTEST:
        return []
    ending = [
        word for of_letter in words.values() for word in of_letter if stem in word and _ends_with(stem, word, words)
    ]
    beginning = [word for word in _beginning_with(stem, words) if _follows(word.removeprefix(stem), words)]
    return [*ending, *beginning]


def _ends_with(stem: str, word: str, words: Vocabulary) -> bool:
    """Whether a word is a compound whose last part is the stem: what stands before it is a word of the notes, or long enough for one."""
    at = word.rfind(stem)
    if at < SHORTEST or len(word) - at - len(stem) > LONGEST_ENDING:
        return False
    return min(at, len(word) - at) >= LONG or bool(_first_part(word[:at], words))


def _follows(rest: str, words: Vocabulary) -> bool:
    """Whether what stands behind a stem is a word of the notes, after the letters that join it."""
    bare = (rest.removeprefix(joint) for joint in JOINTS if rest.startswith(joint))
    return any(len(one) >= SHORTEST and _is_there(one, words) for one in bare)


def _is_there(word: str, words: Vocabulary) -> bool:
    return next(_beginning_with(word, words), "") == word


def _beginning_with(stem: str, words: Vocabulary) -> Iterator[str]:
    of_letter = words.get(stem[:1], [])
    for at in range(bisect_left(of_letter, stem), len(of_letter)):
        if not of_letter[at].startswith(stem):
            return
        yield of_letter[at]


def _stems(found: list[str]) -> frozenset[str]:
    return frozenset(stem for word in found for stems in question_stems(word).values() for stem in stems)
