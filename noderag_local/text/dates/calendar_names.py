"""Names of months and weekdays, and phrases such as "two weeks ago", in every language that is told apart.

They come from the Common Locale Data Repository (CLDR) of Unicode, by way of babel. Its files are read as they are: what a
language takes over from all languages together is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from babel import localedata

from noderag_local.text.languages import KNOWN_LANGUAGES

UNITS = ("day", "week", "month", "year")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ALSO_SHORT = ("en", "de")
"""Languages whose abbreviated months are safe to read: the Italian "set" and the Portuguese "out" are also English words."""
_REGIONS = {"de": ("de_AT",), "es": ("es_UY",)}
"""Where months have other names: "Jänner", "setiembre"."""
SHORTEST_NAME = 2
_DOTS = ".॰"
_DIGIT = re.compile(r"\d")
_FIXED_NUMBERS = {"one": 1, "two": 2}
"""Numbers that phrases without a digit express, such as the Arabic "قبل يومين", two days ago."""


@cache
def month_names() -> tuple[str, ...]:
    """Returns the full names of the months as they are spelled, and the English and German abbreviations, each once."""
    wide = [name for language in KNOWN_LANGUAGES for name, _ in _names(language, "months", "wide")]
    short = [name for language in _ALSO_SHORT for name, _ in _names(language, "months", "abbreviated")]
    return tuple(dict.fromkeys([*wide, *short]))


@cache
def months() -> dict[str, int]:
    """Returns the number of the month by its casefolded name, full or shortened, without a dot at the end."""
    return {
        name.casefold(): number
        for width in ("abbreviated", "wide")
        for language in KNOWN_LANGUAGES
        for name, number in _names(language, "months", width)
    }


@cache
def full_months() -> dict[str, int]:
    """Returns the number of the month by its casefolded name, for the names that `month_names` returns."""
    return {name.casefold(): months()[name.casefold()] for name in month_names()}


@cache
def weekdays(language: str) -> dict[str, int]:
    """Returns the number of the weekday, Monday being 0, by its casefolded full name in a language."""
    return {name.casefold(): number for name, number in _names(language, "days", "wide")}


@cache
def weekday_numbers() -> dict[str, frozenset[int]]:
    """Returns the numbers of the weekdays, Monday being 0, by casefolded name, full or shortened, in all languages.

    "mar" is Tuesday in French and in Spanish; where languages differ, a name has several numbers.
    """
    found: dict[str, set[int]] = {}
    for language in KNOWN_LANGUAGES:
        for name, number in _weekdays_of(language):
            found.setdefault(name.casefold(), set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


@cache
def english_weekdays() -> frozenset[str]:
    """Returns the casefolded names of the weekdays in English, full and shortened."""
    return frozenset(name.casefold() for name, _ in _weekdays_of("en"))


def _weekdays_of(language: str) -> Iterator[tuple[str, int]]:
    return (pair for width in ("wide", "abbreviated", "short") for pair in _names(language, "days", width))


@cache
def calendar_words() -> frozenset[str]:
    """Returns the full names of months and weekdays, casefolded: no entities when they stand alone."""
    return frozenset(full_months()).union(*map(weekdays, KNOWN_LANGUAGES))


def counted_phrases(language: str) -> Iterator[tuple[str, str, int, int]]:
    """Yields phrases that count from today, as "{0} days ago".

    Yields:
        (phrase, unit or number of the weekday, −1 for the past and 1 for the future, the number where the phrase has no "{0}",
        else 0).
    """
    fields = _of(language).get("date_fields", {})
    for unit, name in [*((unit, unit) for unit in UNITS), *((str(at), name) for at, name in enumerate(_WEEKDAYS))]:
        for direction, sign in (("past", -1), ("future", 1)):
            for count, phrase in dict(fields.get(name, {}).get(direction, {})).items():
                number = 0 if "{0}" in phrase else _FIXED_NUMBERS.get(count)
                if number is not None:
                    yield phrase, unit, sign, number


def _names(language: str, kind: str, width: str) -> list[tuple[str, int]]:
    """Returns names with their numbers, in the form used in running text ("января") and the form used alone ("январь")."""
    regions = [_of(one).get(kind, {}) for one in (language, *_REGIONS.get(language, ()))]
    found = [one[context].get(width) for one in regions for context in ("format", "stand-alone") if context in one]
    pairs = [
        (name.rstrip(_DOTS), number) for names in found if isinstance(names, dict) for number, name in names.items()
    ]
    return [(name, number) for name, number in pairs if len(name) >= SHORTEST_NAME and not _DIGIT.search(name)]


@cache
def _of(language: str) -> dict[str, Any]:
    return dict(localedata.load(language, merge_inherited=False))
