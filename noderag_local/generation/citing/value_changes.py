"""Finds values that a note says were replaced, so that an answer does not give the old one: "changed from 62 to 58 dB"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile
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
_CLAUSE_ENDS = _STOPS | {"and", "und", "et", "y"}


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
            for before, after in dict.fromkeys(_replacements(_PIECE.findall(sentence))):
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


def _replacements(pieces: Sequence[str]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yields the words of an old value and those of the new one, for each place of a sentence that may have both."""
    words = [piece.casefold() for piece in pieces]
    for at, word in enumerate(words):
        if word in _ARROWS:
            before, after = _until_stop(words[:at][::-1]), _until_stop(words[at + 1 :])
            if not _is_way(before, after, pieces[at + 1 :]) or _tells_of_change(words):
                yield before, after
        for lists in map(word_lists, _languages()):
            if lists.has("from", word) and _is_changed(words, at, lists):
                yield from _from_to(words[at + 1 :], lists)
            if lists.has("formerly", word) and at and words[at - 1] in _STOPS:
                yield _until_stop(words[at + 1 :]), _until_stop(words[: at - 1][::-1])


def _is_way(before: Sequence[str], after: Sequence[str], pieces: Sequence[str]) -> bool:
    """Returns whether an arrow leads to a place or from one time of day to another: "Graz 8:05 → Wien 10:40".

    Args:
        before: the casefolded words before the arrow.
        after: those behind it.
        pieces: the words behind it as they are written.
    """
    times = [number for number in (*before, *after) if _NUMBER.fullmatch(number)]
    return any(map(str.istitle, pieces[:1])) or all(":" in number for number in times)


def _tells_of_change(words: Sequence[str]) -> bool:
    return any(word_lists(language).has("changed", one) for language in _languages() for one in words)


def _is_changed(words: Sequence[str], at: int, lists: WordLists) -> bool:
    """Returns whether the clause of a "from" says that something was changed; German has the verb at its end."""
    before, behind = _until(_CLAUSE_ENDS, words[:at][::-1]), _until(_CLAUSE_ENDS, words[at + 1 :])
    return any(lists.has("changed", one) for one in (*before[:NEAR], *behind))


def _from_to(words: Sequence[str], lists: WordLists) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yields the values on both sides of the first "to"."""
    to = next((at for at, word in enumerate(words[: NEAR + 1]) if lists.has("to", word)), None)
    if to is not None:
        yield tuple(words[:to]), _until_stop(words[to + 1 :])


def _until_stop(words: Sequence[str]) -> tuple[str, ...]:
    """Returns the first words up to a bracket, comma, semicolon or colon."""
    return _until(_STOPS, words[:NEAR])


def _until(ends: frozenset[str], words: Sequence[str]) -> tuple[str, ...]:
    return tuple(takewhile(lambda word: word not in ends, words))


@cache
def _languages() -> tuple[str, ...]:
    return languages_with("changed")
