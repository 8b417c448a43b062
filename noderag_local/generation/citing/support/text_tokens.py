"""Reads a sentence as tokens: names, dates, numbers and words, each in one form for all its spellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from itertools import zip_longest
from typing import NamedTuple

from noderag_local.generation.citing.number_key import number_key
from noderag_local.generation.citing.support.word_lists import WordLists, word_lists
from noderag_local.text.capitals import POSSESSIVE
from noderag_local.text.dates.calendar_names import full_months, month_names
from noderag_local.text.dates.dates_in_text import written_dates
from noderag_local.text.everyday_words import is_everyday_word
from noderag_local.text.number_words import small_numbers
from noderag_local.text.stems import stemmer
from noderag_local.text.stopwords import stop_words

STEM_LETTERS = 5
"""Words count as the same if they agree in this many first letters (installed, installation)."""
HALF_DAY = 12
"""Hours."""
LONGEST_ABBREVIATION = 3
"""Maximum letters of a word after which a full stop need not end a sentence: "Dr.", "Mrs."."""
_ANY_YEAR = date(2000, 6, 1)

_HOUR = r"(?<![\w:.])(?:1[0-2]|0?[1-9])"
_HALF = r"(?:[ \u00a0]?[ap]\.?m\b\.?)"
"""The half of a day in English. In other languages "am" is a word, so that it must follow the digits at once, or have its points."""
_HALF_ELSEWHERE = r"(?:[ap]m\b|[ \u00a0]?[ap]\.m\b\.?|[ \u00a0]pm\b)"
_UNIT = "(?i:mm|cm|dm|km|kg|mg|ml|cl|dl|ft|in|lbs?|oz|min|kw|[kmgt]b|[glmhwv])"
_CLOCK = r"\d{1,2}[:h]\d\d(?::\d\d)?(?!\w)"
_NO_TIME = (
    r"|(?P<grouped>(?<![\d.])\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,4}(?![.,]?\d))"
    r"|(?P<number>(?:(?<![\w)°])[-−](?=\d{1,3}(?:[.,]\d{1,3})?[ \u00a0]?°))?\d(?:[\d.,]{0,30}\d)?"
    rf"(?=[\W_]|$|{_UNIT}\b))"
    r"|(?P<word>[^\W_]+(?:['’][^\W\d_]+)*)"
    r"|(?P<sign>[€$£¥₽%])"
    r"|(?P<stop>[,;:()|–—.!?])"
)
_ENGLISH_PIECE = re.compile(rf"(?P<time>{_HOUR}(?:[:h.]\d\d(?::\d\d)?)?{_HALF}|{_CLOCK}){_NO_TIME}")
_PIECE = re.compile(rf"(?P<time>{_HOUR}(?:[:h.]\d\d(?::\d\d)?)?{_HALF_ELSEWHERE}|{_CLOCK}){_NO_TIME}")
_CELSIUS = re.compile(r"°[ \u00a0]?C\b")
"""Notes say "60°" as often."""
_MINUS = re.compile(
    r"(?<!\w)(?:minus|(?<!\bau )(?<!\bdu )moins|(?<!\bal )(?<!\blo )(?<!\bpor )menos)\s(?=\d)", re.IGNORECASE
)
"""Not "au moins" and "al menos", which mean "at least"."""
_TIME = re.compile(r"(\d{1,2})(?:[:h.](\d\d)(:\d\d)?)?[ \u00a0]?([ap])?")
_UNORDERED = re.compile(r"(?<![\w/])(\d{1,2})/(\d{1,2})/((?:1\d|20)\d{2})(?![\w/])")
_RANGE = re.compile(r"(?<![\w.,])(\d{1,2})\.?\s?(?:to|until|and|bis|und|au|al|y|по|и|[-–])\s?$")
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu|jusqu)['’](?=\w)", re.IGNORECASE)
_LATIN = re.compile(r"[\u0000-\u024f'’-]+")
_NOT = re.compile(r"n['’]t$")


class TokenKind(StrEnum):
    """What a token is."""

    NAME = "name"
    DATE = "date"
    NUMBER = "number"
    WORD = "word"
    LIGHT = "light"
    """A word that states little, or nothing by itself."""
    STOP = "stop"
    """Punctuation."""


class SaidDay(NamedTuple):
    """A day, month or year; 0 stands for a part that is not said."""

    year: int
    month: int
    day: int

    def agrees(self, other: SaidDay) -> bool:
        """Returns whether no part is said differently, and at least one is the same."""
        pairs = [(one, two) for one, two in zip(self, other, strict=True) if one and two]
        return bool(pairs) and all(one == two for one, two in pairs)


class TextToken(NamedTuple):
    """A token of a sentence."""

    kind: TokenKind
    text: str
    """Casefolded text."""
    keys: frozenset[str]
    """Forms under which the same thing is found in other spellings; of a date, its day."""
    day: SaidDay | None = None
    is_possessive: bool = False
    is_capital: bool = False
    """Whether it is written with a capital though it may be no name, as German nouns and first words are."""
    concept: str = ""

    @property
    def is_content(self) -> bool:
        """Whether the token says something by itself."""
        return self.kind not in (TokenKind.LIGHT, TokenKind.STOP)

    def same(self, other: TextToken) -> bool:
        """Returns whether another token says the same."""
        return not self.keys.isdisjoint(other.keys) or bool(self.day and other.day and self.day.agrees(other.day))


def tokens(text: str, language: str) -> list[TextToken]:
    """Returns the tokens of a sentence, in order.

    Args:
        text: a sentence, a line or a table's row, without citation markers.
        language: ISO 639-1 code.
    """
    text = _MINUS.sub("-", _CELSIUS.sub("°", unicodedata.normalize("NFKC", text)))
    lists = word_lists(language)
    found: list[TextToken] = []
    at = 0
    for start, end, day in _dates(text, language):
        before = text[at:start]
        if (span := _RANGE.search(before)) and day.day:
            found += _plain(before[: span.start()], lists, first=not found)
            found.append(_date(SaidDay(day.year, day.month, int(span[1]))))
        else:
            found += _plain(before, lists, first=not found)
        found.append(_date(day))
        at = end
    found += _plain(text[at:], lists, first=not found)
    return named(found, frozenset())


def named(said: list[TextToken], names: frozenset[str]) -> list[TextToken]:
    """Returns the tokens with the first word of a sentence as a name if it is one of `names` or a name follows it."""
    return [
        one._replace(kind=TokenKind.NAME)
        if one.kind is TokenKind.WORD
        and one.is_capital
        and (one.text in names or (after and after.kind is TokenKind.NAME))
        else one
        for one, after in zip_longest(said, said[1:])
    ]


def _dates(text: str, language: str) -> list[tuple[int, int, SaidDay]]:
    """Returns the (start, end, day) of the dates that have a month, in order."""
    if not any(map(str.isdigit, text)):
        return []
    found: list[tuple[int, int, SaidDay]] = []
    for today in (None, _ANY_YEAR):
        for said in written_dates(text, today, in_any_year=today is not None):
            if not _overlaps(said.start, said.end, found):
                first = said.days.first
                year, in_month = (0 if today else first.year), (first.day if said.days.length == 1 else 0)
                found.append((said.start, said.end, SaidDay(year, first.month, in_month)))
    for slashed in _UNORDERED.finditer(text):
        if not _overlaps(*slashed.span(), found):
            one, other = int(slashed[1]), int(slashed[2])
            day, month = (0, 0) if language == "en" else (one, other)
            found.append((*slashed.span(), SaidDay(int(slashed[3]), month, day)))
    return sorted(found)


def _overlaps(start: int, end: int, found: list[tuple[int, int, SaidDay]]) -> bool:
    return any(start < its_end and its_start < end for its_start, its_end, _ in found)


def _date(day: SaidDay) -> TextToken:
    return TextToken(TokenKind.DATE, str(day), frozenset(), day)


def _plain(text: str, lists: WordLists, first: bool) -> Iterator[TextToken]:
    """Yields the tokens of a text without dates; `first` tells that it begins the sentence."""
    last = 0
    for piece in (_ENGLISH_PIECE if lists.language == "en" else _PIECE).finditer(text):
        kind, said = piece.lastgroup, piece[0]
        if kind == "stop":
            yield TextToken(TokenKind.STOP, said, frozenset())
            first = first or said in "!?" or (said == "." and last > LONGEST_ABBREVIATION)
            continue
        if kind == "word":
            yield from _words(said, lists, first)
        elif kind == "sign":
            yield _word(said, lists, first)
        else:
            yield _number(said, kind or "")
        first, last = False, len(said)


def _words(said: str, lists: WordLists, first: bool) -> Iterator[TextToken]:
    if lists.language == "fr" and (elided := _ELISION.match(said)):
        yield TextToken(TokenKind.LIGHT, elided[0][:-1].casefold(), frozenset())
        said = said[elided.end() :]
    yield _word(said, lists, first)


def _number(said: str, kind: str) -> TextToken:
    if kind == "time":
        return TextToken(TokenKind.NUMBER, said, _times(said.casefold()))
    key = "".join(filter(str.isdigit, said)) if kind == "grouped" else number_key(said)
    return TextToken(TokenKind.NUMBER, said, frozenset({key}))


def _times(said: str) -> frozenset[str]:
    """Returns the keys of a time: "7:30" may be in either half of a day, "7:30 pm" and "19:30" are one time."""
    found = _TIME.match(said)
    hour, minute, second, half = found.groups(default="") if found else ("0", "", "", "")
    rest = f":{minute or '00'}{second}"
    if not half:
        halves = {f"{int(hour)}{rest}{half}" for half in "ap"} if 1 <= int(hour) <= HALF_DAY else set[str]()
        return frozenset({f"{int(hour)}{rest}", *halves})
    of_day = int(hour) % HALF_DAY + (HALF_DAY if half == "p" else 0)
    # In the morning "7:30" is the key of both halves.
    clock = {f"{of_day}{rest}"} if not 1 <= of_day <= HALF_DAY else set[str]()
    return frozenset({f"{int(hour)}{rest}{half}", *clock})


def _word(said: str, lists: WordLists, first: bool) -> TextToken:
    folded = POSSESSIVE.sub("", said.casefold())
    possessive = folded != said.casefold()
    language = lists.language
    if _NOT.search(folded):
        return TextToken(TokenKind.LIGHT, "not", frozenset())
    if (first or not said[0].isupper()) and (number := _counted(folded, language)):
        return TextToken(TokenKind.NUMBER, folded, frozenset({str(number)}))
    if said in _months() and (len(said) > 3 or said[0].isupper()):
        return _date(SaidDay(0, full_months()[folded], 0))
    concept = lists.concept(folded)
    keys = frozenset({stemmer(language)(folded), *([folded[:STEM_LETTERS]] if len(folded) >= STEM_LETTERS else ())})
    keys |= {f"={concept}"} if concept else set()
    if lists.has("light", folded) or (folded in stop_words(language) and not concept) or lists.has("articles", folded):
        return TextToken(TokenKind.LIGHT, folded, keys, None, possessive, False, concept)
    capital = said[:1].isupper()
    inside = any(letter.isupper() for letter in said[1:]) or (capital and any(map(str.isdigit, said)))
    if (inside and not concept) or (capital and not first and not concept and language != "de"):
        return TextToken(TokenKind.NAME, folded, _keys_of_name(keys, folded), None, possessive, True, concept)
    capital = capital and not (first and (is_everyday_word(folded) or (concept and language != "de")))
    if capital and language == "en" and len(folded) > LONGEST_ABBREVIATION - 1:
        return TextToken(TokenKind.NAME, folded, _keys_of_name(keys, folded), None, possessive, True, concept)
    return TextToken(TokenKind.WORD, folded, keys, None, possessive, capital, concept)


def _keys_of_name(keys: frozenset[str], folded: str) -> frozenset[str]:
    """Returns the keys of a name: Christine is not Christian. Other scripts decline names: Анна, Анны."""
    return keys - {folded[:STEM_LETTERS]} | {folded} if folded.isascii() or _LATIN.fullmatch(folded) else keys


def _counted(folded: str, language: str) -> int:
    number = small_numbers(language).get(folded, 0)
    return number if number > 1 else 0


def _months() -> frozenset[str]:
    return frozenset(month_names())
