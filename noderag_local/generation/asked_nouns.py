"""Finds the noun by which a short question asks for one fact, "dad's neurologist name", and tells what a fitting answer has."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from importlib.resources import files

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.evidence import claims
from noderag_local.generation.citing.number_key import long_numbers
from noderag_local.text.interrogatives import interrogatives
from noderag_local.text.number_words import NUMBER_WORDS
from noderag_local.text.stopwords import stop_words

MOST_BEFORE = 5
"""Most words that may stand before the noun."""
KEPT = 8
"""Questions whose noun is kept: one question is looked at several times."""
_LANGUAGES = ("en", "de", "fr", "es")
_WORD = re.compile(r"[^\W_]+['’](?=[^\W_]{2})|[^\W_]+(?:-[^\W_]+)*")
"""A word; "d'" and the "s" of "dad's" are words of their own."""
_PARTS = re.compile(r"[?.!;:]\s|[,;:(]")
_HOW_MUCH = re.compile(r"\bhow much\b|\bwie ?viel\b|\bcombien\b(?!\s+d)|\bcu[áa]nt[oa]\b", re.IGNORECASE)
"""Questions for an amount. "How many" is not among them, since names may answer it."""
_EMAIL = re.compile(r"\S@\S")


class AskedValue(Enum):
    """Kind of value that an answer must have."""

    NUMBER = "number"
    EMAIL = "email"
    TIME = "time"
    OTHER = "other"

    def is_in(self, text: str) -> bool:
        """Returns whether a text has such a value, or says that there is none; days and others may be any words."""
        if self in (AskedValue.TIME, AskedValue.OTHER):
            return True
        words = set(_words(text))
        if not words.isdisjoint(_all("nothing")):
            return True
        if self is AskedValue.EMAIL:
            return bool(_EMAIL.search(text))
        # German "ein" is an article as well.
        return any(map(str.isdigit, text)) or not words.isdisjoint(NUMBER_WORDS - _all("determiners"))


@dataclass(frozen=True, slots=True)
class AskedNoun:
    """The noun by which a question asks."""

    value: AskedValue
    """Kind of value that it asks for."""
    is_terse: bool
    """Whether the question has no interrogative word: it is a noun with what belongs to it."""


@lru_cache(maxsize=KEPT)
def asked_noun(question: str) -> AskedNoun | None:
    """Returns the noun by which a question asks for one fact; None if it does not begin with one, in English, German, French or Spanish.

    Only determiners, names and other words with a meaning stand before it: "my physio's name", "what is Marisol's shoe size",
    "numéro du plombier". In "what did the name cost" and "price list", nothing is asked by "name" and "price".
    """
    first = _PARTS.split(question.strip(" ¿"), maxsplit=1)[0]
    words = _words(_without_opener(first))
    end = next((at + 1 for at in reversed(range(len(words))) if _ends_at(words, at)), 0)
    if not end:
        return None
    kinds = [kind for word in words[_first_noun(words, end) : end] if (kind := _kind(word))]
    kind = AskedValue.EMAIL if AskedValue.EMAIL in kinds else kinds[-1]
    return AskedNoun(kind, not any(word in _interrogatives() for word in words))


def asked_value(question: str) -> AskedValue | None:
    """Returns what a fitting answer has: what the noun asks for, or a number for "how much"; None if anything may fit."""
    if noun := asked_noun(question):
        return noun.value
    return AskedValue.NUMBER if _HOW_MUCH.search(question) else None


def lacks_value(question: str, answer: str, sources: Iterable[Source]) -> bool:
    """Returns whether an answer cannot be right since it lacks what the question asks for.

    Small models answer "Deepa's email address" with her name, and a shoe size that no note tells with a number of their own.

    Args:
        question: the question.
        answer: without markers.
        sources: what the model read.
    """
    value = asked_value(question)
    if value is None:
        return False
    asked = set(_words(question))
    if not value.is_in(" ".join(part for part in answer.split() if not asked.issuperset(_words(part)))):
        return True
    invented = claims(answer).numbers - claims(question).numbers
    # "How much have I paid in all?" may be answered by a sum.
    if value is AskedValue.TIME or not invented or asked_noun(question) is None:
        return False
    read = "\n".join(text for one in sources for text in (one.text, one.title, *one.headings))
    if not invented.isdisjoint(claims(read).numbers):
        return False
    there = long_numbers(read)
    return not any(said in one or one in said for said in long_numbers(answer) for one in there)


def _ends_at(words: list[str], at: int) -> bool:
    """Returns whether the asking nouns end at a word."""
    if _kind(words[at]) is None:
        return False
    begin = _first_noun(words, at + 1)
    if begin > MOST_BEFORE or not _may_precede(words[:begin]):
        return False
    follows = words[at + 1 : at + 2]
    return not follows or follows[0] in _all("behind") or any(word in _interrogatives() for word in words[:begin])


def _first_noun(words: list[str], end: int) -> int:
    """Returns where the nouns that stand before `end` begin: "email address" are two."""
    begin = end - 1
    while begin > 0 and _kind(words[begin - 1]):
        begin -= 1
    return begin


def _may_precede(words: list[str]) -> bool:
    asks = False
    for word in words:
        if word in _interrogatives():
            asks = True
        elif word in _all("determiners") or (asks and word in _all("copulas")):
            continue
        elif word in _stop_words():
            return False
    return True


def _kind(word: str) -> AskedValue | None:
    listed = next((value for value in AskedValue if word in _all(value.value)), None)
    ends = () if listed else (noun for noun in _all("compounds") if word.endswith(noun))
    end = max(ends, key=len, default="")
    return _kind(end) if end else listed


def _without_opener(text: str) -> str:
    folded = text.casefold()
    return next((text[len(one) :] for one in _openers() if folded.startswith(f"{one} ")), text)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("’", "'"))


@cache
def _lists() -> dict[str, dict[str, str | list[str]]]:
    text = (files("noderag_local.generation") / "asked_nouns.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _all(name: str) -> frozenset[str]:
    """Returns the words of a list in all languages: of a few words one cannot tell the language."""
    return frozenset(word for words in _lists().values() for word in _split(words.get(name, "")))


@cache
def _openers() -> tuple[str, ...]:
    return tuple(one for words in _lists().values() for one in words["openers"])


@cache
def _interrogatives() -> frozenset[str]:
    return frozenset().union(*map(interrogatives, _LANGUAGES))


@cache
def _stop_words() -> frozenset[str]:
    return frozenset().union(*map(stop_words, _LANGUAGES))


def _split(words: str | list[str]) -> Iterable[str]:
    return words.split() if isinstance(words, str) else words
