"""What a question asks for, by its words alone: names that may be entities, and the kind of answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum

from noderag_local.text.capitals import POSSESSIVE, words_as_written
from noderag_local.text.letters import UNSPACED

LONGEST_NAME = 8
"""Most words (or characters, in scripts without spaces) of a name that is looked for."""

_UNSPACED = re.compile(f"[{UNSPACED}]+")


class AnswerKind(StrEnum):
    """Kind of answer that a question asks for."""

    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    ANY = "any"


_DATE_WORDS = (
    r"when(?:ever)?|what (?:(?:year|date|day|month|time)s?|century)|which (?:year|month|day)s?|in what years?|wann|"
    r"in welche[mn] jahr(?:en|zehnt(?:en)?|hundert(?:en)?)?|seit wann|quand|en quelle année|cuándo|en qué años?|quando|"
    r"in che ann[oi]|em que anos?|wanneer|когда|в каком году"
)
_NUMBER_WORDS = (
    r"how (?:many|much|often|(?:old|long|far|high|tall|deep|fast)(?:er)?|(?:large|wide)r?|big(?:ger)?)|"
    r"what (?:percent\w*|(?:number|population|share)s?|quantit(?:y|ies))|population of|averages?|"
    r"wie (?:viele?[nrm]?|(?:alt|lang|weit|hoch|hoh|groß)(?:e[nrsm]?)?)|combien|quel âge|cuánt[oa]s?|quant[oiae]s?|quantità|"
    r"hoeveel(?:heid|ste)?|сколько"
)
_NAME_WORDS = (
    r"who|whom|whose|where|which|what|wer|wen|wem|wessen|wo|welche[rsnm]?|was|qui|où|quel(?:le)?s?|quién(?:es)?|dónde|qué|"
    r"cuál(?:es)?|chi|dove|quale|quem|onde|qual|wie|waar|welke|кто|где|как\w* зовут"
)
_SPACED = (
    (AnswerKind.DATE, re.compile(rf"(?<!\w)(?:{_DATE_WORDS})(?!\w)", re.IGNORECASE)),
    (AnswerKind.NUMBER, re.compile(rf"(?<!\w)(?:{_NUMBER_WORDS})(?!\w)", re.IGNORECASE)),
    (AnswerKind.NAME, re.compile(rf"(?<!\w)(?:{_NAME_WORDS})(?!\w)", re.IGNORECASE)),
)
_IS = "".join(rf"(?<!\b{word})" for word in ("it", "what", "where", "when", "how", "why"))
"""Keeps out a "'s" that means "is" or "has", as in "What's" and "it's"."""
_RELATION = re.compile(
    rf"{_IS}['’]s\b|\b(?:of|that|who|whom|which|where|whose|by|deren|dessen|dont|cuy[oa]s?|cuj[oa]s?|wiens|wier)\b"
    r"|\bкотор\w+",
    re.IGNORECASE,
)
"""Words that tell of one thing by another: "the sister of …", "the man who …", "Anna's"."""
_UNSPACED_KINDS = (
    (AnswerKind.DATE, re.compile("何时|什么时候|哪一年|哪年|いつ|何年|언제")),
    (AnswerKind.NUMBER, re.compile("多少|几|いくつ|いくら|どのくらい|몇|얼마")),
    (AnswerKind.NAME, re.compile("谁|哪|什么|誰|どこ|何|누구|어디")),
)
"""The same words in scripts that put no space between words."""


def answer_kind(question: str) -> AnswerKind:
    """Returns the kind of answer that the question's words ask for: dates before numbers before names."""
    return next((kind for kind, words in (*_SPACED, *_UNSPACED_KINDS) if words.search(question)), AnswerKind.ANY)


def relations(question: str) -> int:
    """Counts the words by which a question tells of one thing by another; each may ask for one step more."""
    return len(_RELATION.findall(question))


def possible_names(question: str) -> list[str]:
    """Returns every run of up to LONGEST_NAME words (characters, in scripts without spaces), longest first, each once."""
    composed = unicodedata.normalize("NFC", question)
    return list(dict.fromkeys([*_runs_of_words(composed), *_runs_of_characters(composed)]))


def _runs_of_words(question: str) -> Iterator[str]:
    words = words_as_written(question)
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            run = " ".join(words[start : start + length])
            yield run
            yield POSSESSIVE.sub("", run)


def _runs_of_characters(question: str) -> Iterator[str]:
    for run in _UNSPACED.findall(question):
        for length in range(min(LONGEST_NAME, len(run)), 1, -1):
            yield from (run[start : start + length] for start in range(len(run) - length + 1))
