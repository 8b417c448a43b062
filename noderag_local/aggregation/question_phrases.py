"""The words by which a question asks for something that can be computed, by language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from noderag_local.text.stems import stemmer
from noderag_local.text.stopwords import stop_words

LANGUAGES = ("en", "de", "fr", "es")
"""Languages (ISO 639-1) that have phrases; the first wins where a question does not decide."""
ANY = "*"
"""Stands in a phrase for one or two words."""
SHORTEST_MISTYPED = 5
"""Letters of the shortest word that may be mistyped: one letter more or less makes another word of a shorter one."""
LONGEST_CONFUSED = 6
"""Letters of the longest word for a thing or deed that another one may resemble: "boots" and "books"."""
SHORTEST_COMMAND = 4
"""Words of the shortest question that may begin with a command."""
WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_ELIDED = re.compile(r"^[ld]'(?=\w\w)")
_INVERTED = re.compile(r"(?<=\w\w)(?<!rendez)-(?:t-)?(?:ils?|elles?|je|tu|nous|vous)$")
"""The pronoun that French joins to the end of a verb that asks: "habite-t-il"."""


@dataclass(frozen=True)
class Phrases:
    """Words and phrases of one language, as `words.toml` has them."""

    language: str
    """ISO 639-1 code."""
    words: dict[str, frozenset[tuple[str, ...]]]
    """Phrases by key, each as its casefolded words."""
    texts: dict[str, str]
    """Pieces of answers by key."""

    def has(self, key: str, words: Sequence[str]) -> bool:
        """Returns whether casefolded words contain a phrase of a key."""
        return self.end_of(key, words) is not None

    def end_of(self, key: str, words: Sequence[str]) -> int | None:
        """Returns where the first phrase of a key ends in casefolded words, the longest if several begin there; None without one."""
        found = self._span(key, words)
        return found[1] if found else None

    def without(self, key: str, words: Sequence[str]) -> list[str]:
        """Returns casefolded words without the phrases of a key."""
        rest = list(words)
        while found := self._span(key, rest):
            del rest[slice(*found)]
        return rest

    def _span(self, key: str, words: Sequence[str]) -> tuple[int, int] | None:
        for at in range(len(words)):
            ends = [end for phrase in self.words[key] if (end := _end(words, at, phrase)) is not None]
            if ends:
                return at, max(ends)
        return None

    def first(self, keys: Iterable[str], words: Sequence[str]) -> str:
        """Returns the key of the first word that is a phrase of one of some keys; "" where none is."""
        single = {word: key for key in keys for word in self.single(key)}
        return next((single[word] for word in words if word in single), "")

    def rephrased(self, question: str) -> str:
        """Returns a question with "got to" and the like as the verb that notes have instead."""
        for found, instead in self._rephrasings:
            question = found.sub(instead, question)
        return question

    def as_of_loan(self, question: str) -> str:
        """Returns "who borrowed Kiln?" for "who has Kiln?"; "" for a question that does not ask who has something."""
        for found, instead in self._loans:
            if found.match(question):
                return found.sub(instead, question)
        return ""

    def without_command(self, question: str, is_in_notes: Callable[[str], bool]) -> str:
        """Returns "the day I saw Ana" for "Pinpoint the day I saw Ana": a first word that nobody knows is taken for a command."""
        words = list(WORD.finditer(question))
        if len(words) < SHORTEST_COMMAND or words[0][0].casefold() in self._known or is_in_notes(words[0][0]):
            return question
        # "Dredge up the day I saw Ana".
        at = 2 if words[1][0].casefold() in self.single("particles") else 1
        is_command = (
            words[at][0].casefold() in self._commanded and not question[words[0].end() : words[1].start()].strip()
        )
        return question[words[at].start() :] if is_command else question

    @cached_property
    def _commanded(self) -> frozenset[str]:
        """Words that may stand behind a command."""
        keys = ("determiners", "own", "persons", "asks_person", "asks_what", "asks_when", "asks_other")
        return frozenset().union(*map(self.single, keys))

    def corrected(self, question: str, is_in_notes: Callable[[str], bool]) -> str:
        """Returns a question with its mistyped words as the words of this language that they differ from by one letter.

        Words of the notes, words with a capital letter, short words, other forms of a known word and words that resemble
        several stay as they are. The first letter is seldom mistyped.
        """
        return WORD.sub(lambda match: match[0] if is_in_notes(match[0]) else self._nearest(match[0]), question)

    def _nearest(self, word: str) -> str:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        stem = stemmer(self.language)(word)
        if len(word) < SHORTEST_MISTYPED or not word.islower() or (stem != word and stem in self._known_stems):
            return word
        if word in self._known:
            return word
        near = extract(word, self._asking, scorer=OSA.distance, score_cutoff=1, limit=None)
        alike = [str(found) for found, *_ in near if found[0] == word[0]]
        return alike[0] if len(alike) == 1 else word

    def knows(self, word: str) -> bool:
        """Returns whether a casefolded word of this language is one that the phrases expect in questions or notes."""
        return word in self._known or stemmer(self.language)(word) in self._known_stems

    @cached_property
    def _asking(self) -> frozenset[str]:
        """The words that a mistyped one may stand for; of those for things and deeds long ones alone, which resemble no other."""
        forms = frozenset().union(*other_forms())
        short = frozenset(word for word in forms if len(word) <= LONGEST_CONFUSED) - self.single("decided")
        return (self.cues | forms) - short

    @cached_property
    def _known(self) -> frozenset[str]:
        """Words that are no misspellings."""
        groups = (*other_forms(), *near_forms(), *kin_forms(), self.cues, stop_words(self.language))
        return frozenset().union(*groups)

    @cached_property
    def _known_stems(self) -> frozenset[str]:
        return frozenset(map(stemmer(self.language), self._known))

    @cached_property
    def _rephrasings(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        return self._replacements("stand_for")

    @cached_property
    def _loans(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        return self._replacements("loans")

    def _replacements(self, key: str) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Returns what to replace, and by what, of a text with lines such as "set me back = cost"."""
        pairs = (line.partition(" =") for line in self.texts[key].splitlines())
        return tuple(
            (re.compile(rf"\b{re.escape(said)}\b", re.IGNORECASE), instead.strip()) for said, _, instead in pairs
        )

    @cached_property
    def cues(self) -> frozenset[str]:
        """All single words of all keys."""
        return frozenset().union(*map(self.single, self.words))

    def single(self, key: str) -> frozenset[str]:
        """Returns the phrases of a key that are one word."""
        return frozenset(phrase[0] for phrase in self.words[key] if len(phrase) == 1)


@cache
def other_forms() -> tuple[frozenset[str], ...]:
    """Returns groups of words that stand for one another: forms of a verb or noun in all languages, and words for the same."""
    return tuple(frozenset(line.split()) for line in _tables()["all"]["forms"])


@cache
def kin_forms() -> tuple[frozenset[str], ...]:
    """Returns groups of words for the same relative, in all languages."""
    return tuple(frozenset(line.split()) for line in _tables()["all"]["kin"])


@cache
def in_notes(key: str) -> frozenset[str]:
    """Returns the phrases of a key that are one word, of all languages: notes need not be in the language of the question."""
    return frozenset().union(*(phrases(language).single(key) for language in LANGUAGES))


@cache
def near_forms() -> tuple[frozenset[str], ...]:
    """Returns groups of words that stand for one another where it is asked when something was done, and not elsewhere."""
    return tuple(frozenset(line.split()) for line in _tables()["all"]["near"])


@cache
def phrases(language: str) -> Phrases:
    """Returns the phrases of one of `LANGUAGES`."""
    table = _tables()[language]
    listed = {key: frozenset(map(_split, value)) for key, value in table.items() if isinstance(value, list)}
    return Phrases(language, listed, {key: value for key, value in table.items() if isinstance(value, str)})


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("noderag_local.aggregation") / "words.toml").read_text(encoding="utf-8"))


POSSESSIVE = "'s"
"""End of a word of `words_of` that says whose something is."""


def words_of(text: str) -> list[str]:
    """Returns the casefolded words of a text in order, "l'équipe" as "équipe", and "habite-t-il" as "habite"."""
    return [without_article(word.casefold()) for word in WORD.findall(text)]


def without_article(word: str) -> str:
    """Returns a casefolded word without what French joins to it: an article or preposition in front, a pronoun behind."""
    return _INVERTED.sub("", _ELIDED.sub("", word.replace("’", "'")))


def is_any(words: Iterable[str], among: frozenset[str]) -> bool:
    """Returns whether one of the words is among others."""
    return not among.isdisjoint(words)


def _split(phrase: str) -> tuple[str, ...]:
    return tuple(ANY if word == ANY else " ".join(words_of(word)) for word in phrase.casefold().split())


def _end(words: Sequence[str], at: int, phrase: tuple[str, ...]) -> int | None:
    """The end of a phrase that begins at a place; None where it does not. "*" stands for one or two words."""
    if ANY not in phrase:
        return at + len(phrase) if tuple(words[at : at + len(phrase)]) == phrase else None
    gap = phrase.index(ANY)
    before, behind = phrase[:gap], phrase[gap + 1 :]
    if tuple(words[at : at + gap]) != before:
        return None
    starts = (at + gap + between for between in (1, 2))
    return next((end for start in starts if (end := _end(words, start, behind)) is not None), None)
