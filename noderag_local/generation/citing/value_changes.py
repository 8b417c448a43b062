"""Finds values that a note says were replaced, so that an answer does not give the old one: "changed from 62 to 58 dB"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.markers import sentences
from noderag_local.generation.citing.support.word_lists import WordLists, languages_with, word_lists

NEAR = 5
"""Maximum number of words of the old or the new value, and of those around the number in it."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_PIECE = re.compile(rf"{_NUMBER.pattern}|[^\W\d_]+|->|=>|[→⇒(),;:]")
_ARROWS = frozenset({"->", "=>", "→", "⇒"})
_STOPS = frozenset("(),;:")


class ValueChange(NamedTuple):
    """A sentence that says what a value was, and what it is since."""

    sentence: str
    source: int
    """Number of its source."""
    old: frozenset[str]
    """Numbers that hold no more."""
    new: str
    """The number that holds since."""


def value_changes(sources: Sequence[Source]) -> Iterator[ValueChange]:
    """Yields the sentences of the sources that give a number that was replaced, best source first."""
    for source in sources:
        for sentence in sentences(source.text):
            words = [piece.casefold() for piece in _PIECE.findall(sentence)]
            for before, after in dict.fromkeys(_replacements(words)):
                # What stands behind the first new number is of something else: "to 58 dB after 6 pm".
                new = next(filter(_NUMBER.fullmatch, after), "")
                old = frozenset(filter(_NUMBER.fullmatch, before)) - {new}
                if old and new:
                    yield ValueChange(" ".join(sentence.split()), source.number, old, new)


def asks_for_present(question: str) -> bool:
    """Returns whether a question asks for what holds now, and not for what was."""
    return not _speaks_of_past(question)


def outdated(answer: str, changes: Sequence[ValueChange]) -> ValueChange | None:
    """Returns the change after which an answer gives the old value as if it held; None for any other answer."""
    said = frozenset(_NUMBER.findall(answer))
    if not changes or _speaks_of_past(answer):
        return None
    return next((one for one in changes if said & one.old and one.new not in said), None)


def _speaks_of_past(text: str) -> bool:
    words = frozenset(_PIECE.findall(text.casefold()))
    return any(words & word_lists(language).lists["past"] for language in _languages())


def _replacements(words: Sequence[str]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yields the words of an old value and those of the new one, for each place of a sentence that may have both."""
    for at, word in enumerate(words):
        if word in _ARROWS:
            yield _until_stop(words[:at][::-1]), _until_stop(words[at + 1 :])
        for lists in map(word_lists, _languages()):
            if lists.has("from", word) and any(lists.has("changed", one) for one in words):
                yield from _from_to(words[at + 1 :], lists)
            if lists.has("formerly", word) and at and words[at - 1] in _STOPS:
                yield _until_stop(words[at + 1 :]), _until_stop(words[: at - 1][::-1])


def _from_to(words: Sequence[str], lists: WordLists) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yields the values on both sides of the first "to"."""
    to = next((at for at, word in enumerate(words[: NEAR + 1]) if lists.has("to", word)), None)
    if to is not None:
        yield tuple(words[:to]), _until_stop(words[to + 1 :])


def _until_stop(words: Sequence[str]) -> tuple[str, ...]:
    """Returns the first words up to a bracket, comma, semicolon or colon."""
    stop = next((at for at, word in enumerate(words[:NEAR]) if word in _STOPS), NEAR)
    return tuple(words[:stop])


@cache
def _languages() -> tuple[str, ...]:
    return languages_with("changed")
