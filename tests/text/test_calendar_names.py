"""Names of months and weekdays are those of CLDR, in every language that is told apart."""

from __future__ import annotations

import pytest

from noderag_local.extraction.rules.dates import dates
from noderag_local.text.dates.calendar_names import calendar_words, months, weekdays
from noderag_local.text.dates.date_names import When, when
from noderag_local.text.languages import KNOWN_LANGUAGES


@pytest.mark.parametrize("language", KNOWN_LANGUAGES)
def test_every_language_has_seven_weekdays(language: str) -> None:
    assert set(weekdays(language).values()) == set(range(7))


def test_names_and_abbreviations_of_months_have_their_number() -> None:
    assert [months()[name] for name in ("august", "août", "сентября", "oktober", "sept", "janv", "दिसंबर")] == [
        8,
        8,
        9,
        10,
        9,
        1,
        12,
    ]


def test_an_abbreviation_that_is_a_word_elsewhere_is_no_calendar_word() -> None:
    assert {"monday", "montag", "понедельник", "maandag"} < calendar_words()
    assert calendar_words().isdisjoint({"set", "out", "ago", "gen"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Στις 5 Μαρτίου 2024 πήγαμε.", When(2024, 3, 5)),
        ("Am 3. Dez. 2023 war es kalt.", When(2023, 12, 3)),
        ("15 मार्च 2022 को", When(2022, 3, 15)),
    ],
)
def test_dates_of_these_languages_are_found_in_notes(text: str, expected: When) -> None:
    assert expected in [when(mention.name) for _, mention in dates(text)]
