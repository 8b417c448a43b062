"""The words by which a question asks for something that can be computed, by language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "de", "fr", "es")
"""Languages (ISO 639-1) that have phrases; the first wins where a question does not decide."""
ANY = "*"
"""Stands in a phrase for one or two words."""
WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")


@dataclass(frozen=True)
class Phrases:
    """Words and phrases of one language, as `words.toml` has them."""

    words: dict[str, frozenset[tuple[str, ...]]]
    """Phrases by key, each as its casefolded words."""
    texts: dict[str, str]
    """Pieces of answers by key."""

    def has(self, key: str, words: Sequence[str]) -> bool:
        """Returns whether casefolded words contain a phrase of a key."""
        return self.end_of(key, words) is not None

    def end_of(self, key: str, words: Sequence[str]) -> int | None:
        """Returns where the first phrase of a key ends in casefolded words, the longest if several begin there; None without one."""
        for at in range(len(words)):
            ends = [end for phrase in self.words[key] if (end := _end(words, at, phrase)) is not None]
            if ends:
                return max(ends)
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

    @cached_property
    def _rephrasings(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        pairs = (line.partition(" = ") for line in self.texts["stand_for"].splitlines())
        return tuple((re.compile(rf"\b{re.escape(said)}\b", re.IGNORECASE), instead) for said, _, instead in pairs)

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
    return Phrases(listed, {key: value for key, value in table.items() if isinstance(value, str)})


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("noderag_local.aggregation") / "words.toml").read_text(encoding="utf-8"))


def words_of(text: str) -> list[str]:
    """Returns the casefolded words of a text in order."""
    return [word.casefold().replace("’", "'") for word in WORD.findall(text)]


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
