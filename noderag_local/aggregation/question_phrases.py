"""The words by which a question asks for something that can be computed, by language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "de", "fr", "es")
"""Languages (ISO 639-1) that have phrases; the first wins where a question does not decide."""
WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words and phrases of one language, as `words.toml` has them."""

    words: dict[str, frozenset[tuple[str, ...]]]
    """Phrases by key, each as its casefolded words."""
    texts: dict[str, str]
    """Pieces of answers by key."""

    def has(self, key: str, words: Sequence[str]) -> bool:
        """Returns whether casefolded words contain a phrase of a key."""
        return any(_holds(words, phrase) for phrase in self.words[key])

    def begins(self, key: str, words: Sequence[str]) -> bool:
        """Returns whether casefolded words begin with a phrase of a key, after at most one word ("In which …")."""
        return any(tuple(words[at : at + len(phrase)]) == phrase for phrase in self.words[key] for at in (0, 1))

    def single(self, key: str) -> frozenset[str]:
        """Returns the phrases of a key that are one word."""
        return frozenset(phrase[0] for phrase in self.words[key] if len(phrase) == 1)


@cache
def phrases(language: str) -> Phrases:
    """Returns the phrases of one of `LANGUAGES`."""
    tables = tomllib.loads((files("noderag_local.aggregation") / "words.toml").read_text(encoding="utf-8"))
    table = tables[language]
    listed = {key: frozenset(map(_split, value)) for key, value in table.items() if isinstance(value, list)}
    return Phrases(listed, {key: value for key, value in table.items() if isinstance(value, str)})


def words_of(text: str) -> list[str]:
    """Returns the casefolded words of a text in order."""
    return [word.casefold().replace("’", "'") for word in WORD.findall(text)]


def is_any(words: Iterable[str], among: frozenset[str]) -> bool:
    """Returns whether one of the words is among others."""
    return not among.isdisjoint(words)


def _split(phrase: str) -> tuple[str, ...]:
    return tuple(words_of(phrase))


def _holds(words: Sequence[str], phrase: tuple[str, ...]) -> bool:
    return any(tuple(words[at : at + len(phrase)]) == phrase for at in range(len(words) - len(phrase) + 1))
