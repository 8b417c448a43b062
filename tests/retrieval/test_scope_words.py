"""A scope as a person writes it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from noderag_local.domain.errors import SettingsError
from noderag_local.domain.passages import EVERYTHING, Scope
from noderag_local.retrieval.scope_words import first_day, in_words, last_day, read_scope, scope_of


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("", EVERYTHING),
        (" ALL ", EVERYTHING),
        ("all notes", EVERYTHING),
        ("trips", Scope("trips")),
        ("~/my trips #porto", Scope("~/my trips", "porto")),
        ("#project/house until:2024 since:2023-02", Scope("", "project/house", date(2023, 2, 1), date(2024, 12, 31))),
        ('in:"#odd since:2024" tag:porto', Scope("#odd since:2024", "porto")),
        ("since:2024-02-29", Scope(since=date(2024, 2, 29))),
        ("since: trips", Scope("trips")),
    ],
)
def test_reading(text: str, scope: Scope) -> None:
    assert read_scope(text) == scope


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("since:yesterday", "yesterday is no date"),
        ("since:2024-02-31", "2024-02-31 is no date"),
        ("until:0000", "is no date"),
        ("#one #two", "Leave one out"),
        ("since:2024 until:2023", "swap"),
    ],
)
def test_what_cannot_be_read_is_told_with_the_way_to_write_it(text: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        read_scope(text)


def test_months_may_be_named_in_any_language() -> None:
    assert (first_day("March 2024"), last_day("feb. 2024")) == (date(2024, 3, 1), date(2024, 2, 29))
    assert first_day("März 2024") == first_day("mars 2024") == date(2024, 3, 1)
    assert read_scope('since:"March 2024"') == Scope(since=date(2024, 3, 1))


def test_a_month_without_a_year_is_the_last_one_that_has_begun() -> None:
    named = [first_day(name) for name in ("January", "March", "December")]
    assert all(0 <= (date.today() - first).days < 366 for first in named)
    assert [first.month for first in named] == [1, 3, 12]


def test_months_and_years_are_whole() -> None:
    assert (first_day("2024"), last_day("2024")) == (date(2024, 1, 1), date(2024, 12, 31))
    assert (first_day("2024-2"), last_day("2024-2")) == (date(2024, 2, 1), date(2024, 2, 29))
    assert first_day(" 2024-02-03 ") == last_day("2024-02-03") == date(2024, 2, 3)


def test_the_four_fields() -> None:
    assert scope_of(" trips ", " #porto ", "2024", "") == Scope("trips", "porto", date(2024, 1, 1))
    assert scope_of("", "", "", "").is_everything


def test_everything_has_a_name() -> None:
    assert in_words(EVERYTHING) == "all notes"
    assert in_words(Scope("trips", "#porto", until=date(2024, 3, 1))) == "trips #porto until:2024-03-01"


folders = some.text(some.characters(codec="utf-8", exclude_characters='"\n\r'), max_size=20).map(str.strip)
tags = some.text(some.characters(categories=["L", "N"]), max_size=8)
days = some.none() | some.dates(date(1000, 1, 1), date(2999, 1, 1))


@example("all", "", None, None)
@example("my trips", "", None, None)
@example("#trips", "", None, None)
@given(folders, tags, days, days)
def test_what_is_told_is_read_again(folder: str, tag: str, since: date | None, until: date | None) -> None:
    if since and until and until < since:
        since, until = until, since
    scope = Scope(folder, tag, since, until)
    assert read_scope(in_words(scope)) == scope
