"""Reads the lists of words that turn, doubt or direct a statement, by language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

SHORTEST_PREFIX = 3


@dataclass(frozen=True)
class WordLists:
    """The word lists of one language; word_lists.toml says what each list is for."""

    language: str
    lists: Mapping[str, frozenset[str]]
    concepts: Mapping[str, str]
    """Concept by casefolded word; keys that end in * stand for all words that begin with them."""

    def has(self, name: str, word: str) -> bool:
        """Returns whether a casefolded word is in the list of this name."""
        return word in self.lists.get(name, ())

    def has_anywhere(self, word: str) -> bool:
        """Returns whether a casefolded word is in any list."""
        return any(word in words for words in self.lists.values())

    def concept(self, word: str) -> str:
        """Returns the concept of a casefolded word; "" if it has none."""
        if found := self.concepts.get(word):
            return found
        for length in range(len(word), SHORTEST_PREFIX - 1, -1):
            if found := self.concepts.get(f"{word[:length]}*"):
                return found
        return ""


@cache
def word_lists(language: str) -> WordLists:
    """Returns the lists of a language (ISO 639-1); for one without lists, only the units of measure."""
    own = dict(_toml().get(language, {}))
    concepts = {**_toml()["units"], **own.pop("concepts", {})}
    by_word = {word: concept for concept, words in concepts.items() for word in words.split()}
    return WordLists(language, {name: frozenset(words.split()) for name, words in own.items()}, by_word)


@cache
def languages_with(name: str) -> tuple[str, ...]:
    """Returns the languages (ISO 639-1) that have a list of this name."""
    return tuple(language for language, lists in _toml().items() if isinstance(lists, dict) and name in lists)


@cache
def rivals(concept: str) -> frozenset[str]:
    """Returns the concepts that exclude a concept."""
    sets = (frozenset(line.split()) for line in _toml()["exclusive"])
    return frozenset().union(*(one - {concept} for one in sets if concept in one))


@cache
def converse(concept: str) -> str:
    """Returns the concept that says the same from the other side ("lend" for "borrow"); "" if there is none."""
    for line in _toml()["converse"]:
        one, other = line.split()
        if concept in (one, other):
            return str(other if concept == one else one)
    return ""


@cache
def needed_concepts() -> frozenset[str]:
    """Returns the concepts whose absence from the passages is never a paraphrase."""
    return frozenset(_toml()["needed"].split())


@cache
def _toml() -> dict[str, Any]:
    text = (files("noderag_local.generation.citing.support") / "word_lists.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
