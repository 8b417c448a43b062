"""The words by which notes tell of debts, as `debt_words.toml` has them: in all languages, since notes mix them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from noderag_local.aggregation.question_phrases import LANGUAGES, in_notes, kin_forms
from noderag_local.text.stopwords import stop_words


@cache
def _table() -> dict[str, str | list[str]]:
    text = (files("noderag_local.aggregation") / "debt_words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def debt_words(key: str) -> frozenset[str]:
    """Returns the casefolded words of a key."""
    found = _table()[key]
    return frozenset(found.split() if isinstance(found, str) else found)


@cache
def debt_phrases(key: str) -> tuple[str, ...]:
    """Returns the casefolded phrases of a key, with single spaces."""
    return tuple(_table()[key])


def has_debt_phrase(key: str, words: Sequence[str]) -> bool:
    """Returns whether casefolded words contain a phrase of a key."""
    text = f" {' '.join(words)} "
    return any(f" {phrase} " in text for phrase in debt_phrases(key))


@cache
def debt_verbs() -> frozenset[str]:
    """Returns all verbs of lending, paying back and owing."""
    return frozenset().union(*map(debt_words, ("lends", "borrows", "pays_back", "pays", "owes")))


@cache
def light_words() -> frozenset[str]:
    """Returns the words that may stand between a verb and its amount, or behind the amount: all but names of things."""
    keys = ("light", "lends", "borrows", "pays_back", "pays", "back", "for", "third_object", "me", "owes", "still")
    return frozenset().union(*map(stop_words, LANGUAGES), *kin_forms(), *map(debt_words, keys))


@cache
def before_things() -> frozenset[str]:
    """Returns the words behind which a capital letter begins a place, a means or a month, and nobody's name."""
    return (debt_words("places") | in_notes("determiners")) - debt_words("to")
