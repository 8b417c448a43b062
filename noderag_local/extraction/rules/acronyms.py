"""Finds acronyms beside their long form: "International Business Machines (IBM)", "IBM (International Business Machines)".

The test is that of Schwartz and Hearst (2003) on initials: each letter of the acronym starts a word of the long
form, in order; small words may be passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_WORDS = 10

_BRACKET = re.compile(r"(?<=[\w.\"”'’])\s?\(\s?([^()\n]{2,100}?)\s?\)")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.?){2,10}\d{0,2}")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_POSSESSIVE = re.compile(r"['’]s?$")
_SMALL_WORDS = "of the and for in on to a an de la le les du des del der die das und für et y e i da do von"
_PASSED_OVER = frozenset(_SMALL_WORDS.split())


@dataclass(frozen=True, slots=True)
class Alias:
    """Two names of one entity."""

    name: str
    """Long form of the name; the target of a wiki link."""
    alias: str
    """Short form of the name; the label of a wiki link."""


def acronyms(text: str) -> list[Alias]:
    """Returns the pairs of long form and acronym in a sentence."""
    if "(" not in text:
        return []
    return [pair for match in _BRACKET.finditer(text) if (pair := _pair(text, match)) is not None]


def _pair(text: str, match: re.Match[str]) -> Alias | None:
    inside = re.split(r"[,;:]\s|\s(?:or|also|formerly)\s", match.group(1).strip("\"“”'’ "))[0]
    if _is_acronym(inside):
        long_form = _long_form_before(text[: match.start()].rstrip("\"”'’ "), inside)
        return Alias(long_form, inside) if long_form else None
    before = _WORD.findall(text[max(0, match.start() - 12) : match.start()])
    if before and _is_acronym(before[-1]) and _long_form_before(inside, before[-1]) == inside:
        return Alias(inside, before[-1])
    return None


def _is_acronym(word: str) -> bool:
    letters = [character for character in word if character.isalpha()]
    capitals = sum(character.isupper() for character in letters)
    return bool(_ACRONYM.fullmatch(word)) and capitals >= 2 and 2 * capitals >= len(letters)


def _long_form_before(text: str, acronym: str) -> str | None:
    """Returns the shortest run of words at the end of `text` whose initials spell the acronym."""
    wanted = [character.casefold() for character in acronym if character.isupper()]
    words = list(_WORD.finditer(text, max(0, len(text) - 30 * MAX_WORDS)))[-MAX_WORDS:]
    if not words or len(text) > words[-1].end() + 1:
        return None
    for word in reversed(words):
        token = word.group().casefold()
        if token[0] == wanted[-1]:
            wanted.pop()
            if not wanted:
                return _POSSESSIVE.sub("", text[word.start() :]) if word.group()[0].isupper() else None
        elif token not in _PASSED_OVER:
            return None
    return None
