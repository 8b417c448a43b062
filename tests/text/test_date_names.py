"""Which names are dates, and where they stand in time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.extraction.rules.dates import dates, years
from noderag_local.text.dates.date_names import When, when


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("1957", When(1957)),
        ("June 1957", When(1957, 6)),
        ("16 June 1957", When(1957, 6, 16)),
        ("June 16, 1957", When(1957, 6, 16)),
        ("16th of June 1957", When(1957, 6, 16)),
        ("10–12 March 2020", When(2020, 3, 12)),
        ("2026-03-05", When(2026, 3, 5)),
        ("5.3.2026", When(2026, 3, 5)),
        ("1. Oktober 2021", When(2021, 10, 1)),
        ("3 de mayo de 2020", When(2020, 5, 3)),
        ("1er mai 2025", When(2025, 5, 1)),
        ("2025/05/13", When(2025, 5, 13)),
        ("13.05.25", When(2025, 5, 13)),
        ("12.04.85", When(1985, 4, 12)),
        ("14 juillet 1789", When(1789, 7, 14)),
        ("juin 1944", When(1944, 6)),
        ("9 мая 1945", When(1945, 5, 9)),
        ("1957年6月16日", When(1957, 6, 16)),
        ("1957年", When(1957)),
        ("AD 79", When(79)),
    ],
)
def test_a_date_in_any_of_the_spellings_that_are_found(name: str, expected: When) -> None:
    assert when(name) == expected


@pytest.mark.parametrize(("name", "year"), [("1950s", 1950), ("16th century", 1500), ("1st century", 0)])
def test_a_span_of_years_stands_at_its_beginning(name: str, year: int) -> None:
    assert when(name) == When(year, is_span=True)


def test_years_before_christ_come_before_those_after() -> None:
    assert sorted(["AD 79", "44 BC", "1,200 BCE", "1 BC"], key=lambda name: when(name) or When(0)) == [
        "1,200 BCE",
        "44 BC",
        "1 BC",
        "AD 79",
    ]


def test_day_and_month_that_could_change_places_are_not_guessed() -> None:
    assert when("03/04/2020") == When(2020)
    assert when("25/12/2020") == when("12/25/2020") == When(2020, 12, 25)


@pytest.mark.parametrize(
    "name", ["", "Marta", "5 March", "Marathon 2020", "150 g", "Apollo 11", "31 February 2020", "99.99.2020", ",, BC"]
)
def test_what_is_no_date_or_has_no_year(name: str) -> None:
    assert when(name) is None


def test_a_year_holds_its_days_and_nothing_holds_itself() -> None:
    assert When(1957).holds(When(1957, 6, 16)) and When(1957, 6).holds(When(1957, 6, 16))
    assert not When(1957).holds(When(1957)) and not When(1957, 5).holds(When(1957, 6, 16))
    assert not When(1950, is_span=True).holds(When(1950))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Conf 3-5 May 2025.", ["3 May 2025", "2025", "5 May 2025", "2025"]),
        ("Urlaub 3.–5. Mai 2025", ["3. Mai 2025", "2025", "5. Mai 2025", "2025"]),
        ("We stay 3 to 5 May 2025.", ["3 May 2025", "2025", "5 May 2025"]),
        ("From 3rd to 5th May 2025", ["3 May 2025", "2025", "5th May 2025"]),
        ("Urlaub vom 3. bis 5. Mai 2025", ["3. Mai 2025", "2025", "5. Mai 2025"]),
        ("Conf May 3-5, 2025", ["May 3, 2025", "2025", "May 5, 2025"]),
        ("Flight 12-3 May 2025", ["May 2025", "2025"]),
        ("Du 28 au 3 mai 2025", ["3 mai 2025", "2025"]),
        ("Version 10.12.13", []),
        ("On 13/05/2025 it rained.", ["13/05/2025", "2025"]),
        ("Le 1er mai 2025", ["1er mai 2025", "2025"]),
        ("On 2025/05/13 it rained.", ["2025/05/13", "2025"]),
        ("Am 13.05.25 war es kalt.", ["13.05.25"]),
        ("Version 22.14.10 and 10.11.12.13", []),
    ],
)
def test_dates_of_a_sentence_are_found_with_both_ends_of_a_range(text: str, names: list[str]) -> None:
    assert sorted({mention.name for _, mention in dates(text)}) == sorted(set(names))


@pytest.mark.parametrize(
    "text",
    [
        "Mix 2000 ml.",
        "1900 kcal a day",
        "It cost CHF 1950.",
        "Room 1950",
        "La chambre 1950",
        "Habitación 1950",
        "PIN: 1984",
        "An essay of 1900 words",
        "Nr. 1984",
    ],
)
def test_amounts_and_numbers_are_no_years(text: str) -> None:
    assert years(text) == []


@pytest.mark.parametrize(
    "text", ["In 1900 words failed.", "Since 1950 steps lead up.", "The 1980s", "Room with a view, 1950"]
)
def test_years_beside_such_words_are_years(text: str) -> None:
    assert len(years(text)) == 1


@given(st.text(max_size=30) | st.text("0123456789 -./,JuneBCADth年月", max_size=24))
def test_any_text_is_a_date_of_the_calendar_or_none(name: str) -> None:
    found = when(name)
    assert found is None or (0 <= found.month <= 12 and 0 <= found.day <= 31 and (found.month or not found.day))


@given(st.integers(1000, 2098), st.integers(1, 12), st.integers(1, 28))
def test_what_indexing_takes_for_a_date_is_read_as_the_same_one(year: int, month: int, day: int) -> None:
    text = f"On {year}-{month:02}-{day:02} it rained, as in {year + 1}."
    (_, full), (_, of_full) = dates(text)
    (_, lone) = years(text)[-1]
    assert when(full.name) == When(year, month, day)
    assert (when(of_full.name), when(lone.name)) == (When(year), When(year + 1))
