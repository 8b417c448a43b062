"""Finds "yesterday", "last Tuesday" and "vor zwei Wochen" in texts, and tells which days they mean, seen from a day.

Phrases are compared word by word, so the time it takes grows with the length of the text and no more.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from noderag_local.text.dates.calendar_names import counted_phrases, weekdays
from noderag_local.text.dates.days import Days
from noderag_local.text.languages import KNOWN_LANGUAGES, language_of
from noderag_local.text.number_words import SMALL_NUMBERS

MOST_STEPS = 1000
"""Largest number of days, weeks, months or years that is counted."""
_NUMBER = "#"
"""Stands for any number in a phrase."""
_UNSPACED = r"\u0e00-\u0e7f\u1000-\u109f\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
_WORD = re.compile(rf"\d+|[{_UNSPACED}]|(?:(?![\d_{_UNSPACED}])[\w{_MARKS}])+")
"""In scripts without spaces every character is a word of its own."""
_UNITS = ("day", "week", "weekend", "month", "year", "weekday")


class Meaning(NamedTuple):
    """What a phrase means, seen from today."""

    unit: str
    """One of "day", "week", "weekend", "month", "year" and "weekday"."""
    steps: int
    """Units from today on; below 0 into the past."""
    weekday: int = 0
    """Monday is 0; only where the unit is "weekday"."""

    def seen_from(self, today: date) -> Days | None:
        """Returns the days that are meant; None where the calendar ends before them."""
        try:
            return self._days(today)
        except OverflowError:
            return None

    def _days(self, today: date) -> Days | None:
        if self.unit == "year":
            return Days.of(today.year + self.steps)
        if self.unit == "month":
            months = 12 * today.year + today.month - 1 + self.steps
            return Days.of(months // 12, months % 12 + 1)
        if self.unit == "weekday":
            return _one(today + timedelta(self._to_weekday(today)))
        if self.unit == "day":
            return _one(today + timedelta(self.steps))
        monday = today + timedelta(7 * self.steps - today.weekday())
        return Days(monday + timedelta(5 if self.unit == "weekend" else 0), monday + timedelta(6))

    def _to_weekday(self, today: date) -> int:
        """Days from today to the weekday, which is never today itself."""
        ahead = (self.weekday - today.weekday()) % 7 or 7
        return ahead + 7 * (self.steps - 1) if self.steps > 0 else (ahead - 7 or -7) + 7 * (self.steps + 1)


class RelativeDate(NamedTuple):
    """A phrase in a text with its meaning."""

    start: int
    end: int
    meaning: Meaning


class _Phrase(NamedTuple):
    words: tuple[str, ...]
    meaning: Meaning
    """For a phrase with a number, of the number 1."""
    only_in: str
    """Language of the sentences that it counts in; "" for all."""


def relative_dates(text: str) -> list[RelativeDate]:
    """Returns the relative dates of a text in the order in which they stand; of two that overlap, the longer one."""
    by_last = _phrases()
    words = _WORD.findall(text.casefold())
    if by_last.keys().isdisjoint(words):
        return []
    matches = list(_WORD.finditer(text))
    words = [match.group().casefold() for match in matches]
    found: list[RelativeDate] = []
    for at, word in enumerate(words):
        for phrase in by_last.get(word, ()):
            first = at + 1 - len(phrase.words)
            number = _number_in(phrase, words[first : at + 1]) if first >= 0 else 0
            if number and (not phrase.only_in or language_of(text) == phrase.only_in):
                meaning = phrase.meaning._replace(steps=phrase.meaning.steps * number)
                one = RelativeDate(matches[first].start(), matches[at].end(), meaning)
                while found and found[-1].start >= one.start:
                    found.pop()
                if not found or found[-1].end <= one.start:
                    found.append(one)
                break
    return found


def _number_in(phrase: _Phrase, words: Sequence[str]) -> int:
    """The number that words have in place of the phrase's, or 1 for a phrase without one; 0 where they are not this phrase."""
    number = 1
    for expected, word in zip(phrase.words, words, strict=True):
        if expected == word:
            continue
        if expected != _NUMBER:
            return 0
        number = int(word[:9]) if word.isdecimal() else SMALL_NUMBERS.get(word, 0)
        if not 0 < number <= MOST_STEPS:
            return 0
    return number


@cache
def _phrases() -> dict[str, list[_Phrase]]:
    """Returns all phrases by their last word, which is rarer than the first one, longest first; without those that end with a number, as one in Hebrew."""
    listed = tomllib.loads((files("noderag_local.text.dates") / "relative_words.toml").read_text(encoding="utf-8"))
    by_words: dict[tuple[str, ...], _Phrase] = {}
    for language in KNOWN_LANGUAGES:
        own: dict[str, Any] = listed.get(language, {})
        for text, meaning in (*_listed_phrases(language, own), *_counting_phrases(language, own)):
            words = tuple(_WORD.findall(text.casefold().replace("{0}", " 0 ")))
            words = tuple(_NUMBER if word == "0" else word for word in words)
            only_in = language if text in own.get("unsure", ()) else ""
            by_words.setdefault(words, _Phrase(words, meaning, only_in))
    by_last: defaultdict[str, list[_Phrase]] = defaultdict(list)
    for words, phrase in sorted(by_words.items(), key=lambda item: (-len(item[0]), item[0])):
        if words[-1] != _NUMBER:
            by_last[words[-1]].append(phrase)
    return dict(by_last)


def _listed_phrases(language: str, own: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    names = weekdays(language) | {name: number for number, name in enumerate(own.get("weekdays", ())) if name}
    for unit in _UNITS:
        for steps, phrases in own.get(unit, {}).items():
            for phrase in phrases:
                if unit != "weekday":
                    yield phrase, Meaning(unit, int(steps))
                    continue
                for name, number in names.items():
                    yield phrase.replace("{}", name), Meaning(unit, int(steps), number)


def _counting_phrases(language: str, own: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    for phrase, unit, sign, number in counted_phrases(language):
        meaning = Meaning("weekday", sign, int(unit)) if unit.isdigit() else Meaning(unit, sign)
        yield phrase, meaning._replace(steps=sign * (number or 1))
    for signed_unit, phrases in own.get("counted", {}).items():
        sign = -1 if signed_unit[0] == "-" else 1
        for phrase in phrases:
            yield phrase, Meaning(signed_unit[1:], sign)


def _one(day: date) -> Days:
    return Days(day, day)
