"""Phrases such as "last Tuesday" and "two weeks ago" in every language that is told apart, with what they mean.

They come from `relative_words.toml` and from CLDR.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from noderag_local.text.dates.calendar_names import counted_phrases, weekdays
from noderag_local.text.dates.meanings import Meaning
from noderag_local.text.languages import KNOWN_LANGUAGES

NUMBER = "#"
"""Stands for any number in a phrase."""
_UNSPACED = r"\u0e00-\u0e7f\u1000-\u109f\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
WORD = re.compile(rf"\d+|[{_UNSPACED}]|(?:(?![\d_{_UNSPACED}])[\w{_MARKS}])+")
"""In scripts without spaces every character is a word of its own."""
_UNITS = ("day", "week", "weekend", "month", "year", "weekday", "weekday of week")
_WEEK = "Woche"
"""German counts weeks in CLDR's phrases for weekdays, "Montag vor 2 Wochen"; other languages count the weekday itself."""

Words = tuple[str, ...]


class TellingWords(NamedTuple):
    """Words of a language by which a phrase is no relative date, or by which "in two weeks" is one."""

    not_after: frozenset[Words] = frozenset()
    """Words right before a phrase that make it something else, as in "my last year"."""
    not_before: frozenset[Words] = frozenset()
    """Words right after a phrase that do so, as in "last week of August"."""
    ahead: frozenset[str] | None = None
    """Words of a sentence in which "in two weeks" is about the future; None where such a phrase always is."""
    behind: frozenset[str] = frozenset()
    """Words of a sentence in which it is not, but says how long something took."""


class Phrase(NamedTuple):
    """A phrase as its casefolded words."""

    words: Words
    meaning: Meaning
    """For a phrase with a number, of the number 1."""
    telling: TellingWords
    only_in: str
    """Language of the sentences that it counts in; "" for all."""


@cache
def phrases_by_last_word() -> dict[str, list[Phrase]]:
    """Returns all phrases by their last word, which is rarer than the first one, longest first; without those that end with a number, as one in Hebrew."""
    listed = tomllib.loads((files("noderag_local.text.dates") / "relative_words.toml").read_text(encoding="utf-8"))
    by_words: dict[Words, Phrase] = {}
    for language in KNOWN_LANGUAGES:
        own: dict[str, Any] = listed.get(language, {})
        telling = _telling_words(own)
        for text, meaning in (*_listed_phrases(language, own), *_counting_phrases(language, own)):
            words = tuple(NUMBER if word == "0" else word for word in _words(text.replace("{0}", " 0 ")))
            only_in = language if text in own.get("unsure", ()) else ""
            by_words.setdefault(words, Phrase(words, meaning, telling, only_in))
    by_last: defaultdict[str, list[Phrase]] = defaultdict(list)
    for words, phrase in sorted(by_words.items(), key=lambda item: (-len(item[0]), item[0])):
        if words[-1] != NUMBER:
            by_last[words[-1]].append(phrase)
    return dict(by_last)


def _telling_words(own: dict[str, Any]) -> TellingWords:
    return TellingWords(
        not_after=frozenset(map(_words, own.get("not_after", ()))),
        not_before=frozenset(map(_words, own.get("not_before", ()))),
        ahead=frozenset(own["ahead"]) if "ahead" in own else None,
        behind=frozenset(own.get("behind", ())),
    )


def _listed_phrases(language: str, own: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    names = weekdays(language) | {name: number for number, name in enumerate(own.get("weekdays", ())) if name}
    for unit in _UNITS:
        for steps, phrases in own.get(unit, {}).items():
            yield from _of_unit(unit, int(steps), phrases, names)


def _of_unit(unit: str, steps: int, phrases: Sequence[str], names: dict[str, int]) -> Iterator[tuple[str, Meaning]]:
    for phrase in phrases:
        if "{}" in phrase:
            yield from ((phrase.replace("{}", name), Meaning(unit, steps, number)) for name, number in names.items())
        else:
            yield phrase, Meaning(unit, steps)


def _counting_phrases(language: str, own: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    for phrase, unit, sign, number in counted_phrases(language):
        if unit.isdigit():
            weekday_unit = "weekday of week" if _WEEK in phrase else "weekday"
            yield phrase, Meaning(weekday_unit, sign * (number or 1), int(unit))
        else:
            yield phrase, Meaning(unit, sign * (number or 1), is_counted=True)
    for signed_unit, phrases in own.get("counted", {}).items():
        sign = -1 if signed_unit[0] == "-" else 1
        for phrase in phrases:
            yield phrase, Meaning(signed_unit[1:], sign, is_counted=True)


def _words(text: str) -> Words:
    return tuple(WORD.findall(text.casefold()))
