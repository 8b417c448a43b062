"""Finds "yesterday", "last Tuesday" and "vor zwei Wochen" in texts.

Phrases are compared word by word, so the time it takes grows with the length of the text and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from noderag_local.text.dates.meanings import Meaning
from noderag_local.text.dates.relative_phrases import NUMBER, WORD, Phrase, TellingWords, phrases_by_last_word
from noderag_local.text.languages import language_of
from noderag_local.text.number_words import SMALL_NUMBERS

MOST_STEPS = 1000
"""Largest number of days, weeks, months or years that is counted."""
_MOST_WORDS_AROUND = 5
"""Most words before or after a phrase by which it may be something else."""
_BETWEEN = " \t\r\n\xa0\u202f\u200b\u200c\u200d'’ʼ-‐‑־"
"""Characters that may stand between the words of a phrase; "It was my last. Week two began" says nothing of last week."""


class RelativeDate(NamedTuple):
    """A phrase in a text with its meaning."""

    start: int
    end: int
    meaning: Meaning
    may_last: bool = False
    """Whether the phrase may tell how long something took, such as "I read it in two weeks"."""


def relative_dates(text: str) -> list[RelativeDate]:
    """Returns the relative dates of a text in the order in which they stand; of two that overlap, the longer one."""
    by_last = phrases_by_last_word()
    if by_last.keys().isdisjoint(WORD.findall(text.casefold())):
        return []
    read = _Read(text)
    found: list[RelativeDate] = []
    for at, word in enumerate(read.words):
        one = read.phrase_until(at, by_last.get(word, ()))
        if one is None:
            continue
        while found and found[-1].start >= one.start:
            found.pop()
        if not found or found[-1].end <= one.start:
            found.append(one)
    return found


class _Read:
    """A text with its words."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._matches = list(WORD.finditer(text))
        self.words = [match.group().casefold() for match in self._matches]

    def phrase_until(self, last: int, phrases: Sequence[Phrase]) -> RelativeDate | None:
        """Returns the first of some phrases that ends with a word of the text."""
        for phrase in phrases:
            first = last + 1 - len(phrase.words)
            number = _number_in(phrase, self.words[first : last + 1]) if first >= 0 else 0
            if number and self._is_meant(phrase, first, last):
                meaning = phrase.meaning._replace(steps=phrase.meaning.steps * number)
                may_last = meaning.is_counted and meaning.steps > 0 and self._may_last(phrase.telling)
                return RelativeDate(self._matches[first].start(), self._matches[last].end(), meaning, may_last)
        return None

    def _is_meant(self, phrase: Phrase, first: int, last: int) -> bool:
        if any(self._gap(at).strip(_BETWEEN) for at in range(first, last)):
            return False
        telling = phrase.telling
        if any(tuple(self._before(first, count)) in telling.not_after for count in range(1, _MOST_WORDS_AROUND + 1)):
            return False
        if any(tuple(self._after(last, count)) in telling.not_before for count in range(1, _MOST_WORDS_AROUND + 1)):
            return False
        return not phrase.only_in or language_of(self._text) == phrase.only_in

    def _before(self, first: int, count: int) -> list[str]:
        """Up to `count` words right before a word; none from beyond a punctuation mark next to it."""
        return self.words[max(0, first - count) : first] if first and not self._gap(first - 1).strip(_BETWEEN) else []

    def _after(self, last: int, count: int) -> list[str]:
        is_alone = last + 1 == len(self.words) or self._gap(last).strip(_BETWEEN)
        return [] if is_alone else self.words[last + 1 : last + 1 + count]

    def _gap(self, at: int) -> str:
        """What stands between a word and the next."""
        return self._text[self._matches[at].end() : self._matches[at + 1].start()]

    def _may_last(self, telling: TellingWords) -> bool:
        if telling.ahead is None:
            return False
        return telling.ahead.isdisjoint(self.words) or not telling.behind.isdisjoint(self.words)


def _number_in(phrase: Phrase, words: Sequence[str]) -> int:
    """The number that words have in place of the phrase's, or 1 for a phrase without one; 0 where they are not this phrase."""
    number = 1
    for expected, word in zip(phrase.words, words, strict=True):
        if expected == word:
            continue
        if expected != NUMBER:
            return 0
        number = int(word[:9]) if word.isdecimal() else SMALL_NUMBERS.get(word, 0)
        if not 0 < number <= MOST_STEPS:
            return 0
    return number
