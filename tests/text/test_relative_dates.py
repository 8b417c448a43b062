"""Relative dates are found in every language and mean the days that people mean by them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.text.dates.relative_dates import relative_dates

MONDAY = date(2023, 5, 8)


def meant(text: str) -> list[str]:
    return [str(one.meaning.seen_from(MONDAY)) for one in relative_dates(text)]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("I went to the group yesterday.", "2023-05-07"),
        ("The day before yesterday it rained.", "2023-05-06"),
        ("We met last Tuesday.", "2023-05-02"),
        ("Last Monday was a holiday.", "2023-05-01"),
        ("See you next Monday!", "2023-05-15"),
        ("Two weekends ago we sailed.", "2023-04-29 to 2023-04-30"),
        ("She moved here 10 years ago.", "2013"),
        ("Vor zwei Wochen war sie hier.", "2023-04-24 to 2023-04-30"),
        ("Gestern kam Post.", "2023-05-07"),
        ("Wir trafen uns letzten Freitag.", "2023-05-05"),
        ("Hier, je suis allé au marché avec Anna.", "2023-05-07"),
        ("L’année dernière à Lyon", "2022"),
        ("Elle est partie il y a deux semaines.", "2023-04-24 to 2023-04-30"),
        ("La semana pasada fuimos al mar.", "2023-05-01 to 2023-05-07"),
        ("Ayer llovió.", "2023-05-07"),
        ("Ci siamo visti due giorni fa.", "2023-05-06"),
        ("Há três dias choveu.", "2023-05-05"),
        ("Drie dagen geleden regende het.", "2023-05-05"),
        ("На прошлой неделе мы ездили к морю.", "2023-05-01 to 2023-05-07"),
        ("Мы виделись в прошлую среду.", "2023-05-03"),
        ("Χθες έβρεχε.", "2023-05-07"),
        ("وصلت قبل يومين", "2023-05-06"),
        ("तीन दिन पहले बारिश हुई।", "2023-05-05"),
        ("我们上周二去了海边", "2023-05-02"),
        ("三天前下雨了", "2023-05-05"),
        ("先週の火曜日に会った", "2023-05-02"),
        ("지난주 화요일에 만났다", "2023-05-02"),
    ],
)
def test_days_as_seen_from_a_monday(text: str, days: str) -> None:
    assert meant(text) == [days]


@pytest.mark.parametrize(
    "text", ["Hier ist es schön und das war es auch.", "Guten Morgen!", "It lasted two weeks.", ""]
)
def test_what_is_no_relative_date(text: str) -> None:
    assert meant(text) == []


def test_no_day_lies_beyond_the_calendar() -> None:
    found = relative_dates("It was 999 years ago.")
    assert found[0].meaning.seen_from(date(500, 1, 1)) is None


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for one in relative_dates(text):
        assert 0 <= one.start < one.end <= len(text)
