"""Relative dates are told as days only where everybody would name the same days."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.text.dates.meant_days import meant_days

MONDAY, THURSDAY, SATURDAY, SUNDAY = date(2023, 5, 8), date(2023, 5, 11), date(2023, 5, 13), date(2023, 5, 14)


def told(text: str, day: date = MONDAY, *labels: str) -> list[str]:
    return [f"{text[one.start : one.end]} {one.sign} {one.days}" for one in meant_days(text, day, labels)]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("I saw her yesterday.", "yesterday = 2023-05-07"),
        ("The day before yesterday it rained.", "The day before yesterday = 2023-05-06"),
        ("We sailed last week.", "last week = 2023-05-01 to 2023-05-07"),
        ("We moved last month.", "last month = 2023-04"),
        ("Yesterday's storm took the roof.", "Yesterday = 2023-05-07"),
        ("We met Tuesday last week.", "Tuesday last week = 2023-05-02"),
        ("The exam is in two weeks.", "in two weeks ≈ 2023-05-22"),
        ("He moved here ten years ago.", "ten years ago ≈ 2013"),
        ("Gestern kam Post.", "Gestern = 2023-05-07"),
        ("Vor zwei Wochen war sie hier.", "Vor zwei Wochen ≈ 2023-04-24"),
        ("Montag vor zwei Wochen war sie hier.", "Montag vor zwei Wochen = 2023-04-24"),
        ("Wir trafen uns letzten Freitag.", "letzten Freitag = 2023-05-05"),
        ("In zwei Wochen fahren wir nach Rom.", "In zwei Wochen ≈ 2023-05-22"),
        ("Ayer llovió.", "Ayer = 2023-05-07"),
        ("Nos vemos dentro de tres días.", "dentro de tres días = 2023-05-11"),
        ("Fuimos el martes de la semana pasada.", "martes de la semana pasada = 2023-05-02"),
        ("Hier, je suis allé au marché avec Anna.", "Hier = 2023-05-07"),
        ("Nous étions là mardi de la semaine dernière.", "mardi de la semaine dernière = 2023-05-02"),
        ("Вчера шёл дождь.", "Вчера = 2023-05-07"),
        ("Мы ездили к морю в прошлом месяце.", "в прошлом месяце = 2023-04"),
        ("Мы виделись в среду на прошлой неделе.", "среду на прошлой неделе = 2023-05-03"),
    ],
)
def test_what_is_sure(text: str, days: str) -> None:
    assert told(text) == [days]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("We met last Friday.", SATURDAY),
        ("We met last Tuesday.", THURSDAY),
        ("We meet next Friday.", MONDAY),
        ("Wir sehen uns nächsten Freitag.", MONDAY),
        ("We sailed last week.", SUNDAY),
        ("This weekend we camped.", MONDAY),
        ("Next weekend we camp.", THURSDAY),
        ("She said: “I will call him tomorrow.”", MONDAY),
        ("Er sagte: „Ich komme morgen, nicht übermorgen.“", MONDAY),
        ("> I was there yesterday.", MONDAY),
    ],
)
def test_what_may_be_another_day_has_no_sign(text: str, day: date) -> None:
    assert [one.sign for one in meant_days(text, day)] == [""]


@pytest.mark.parametrize(
    "text",
    [
        "He read the book in two weeks.",
        "Er hat das Buch in zwei Wochen gelesen.",
        "Через два дня он вернулся.",
        "It was the last week of August.",
        "In my last year at school I moved.",
        "That was his last. Week two was easier.",
        "Als wäre es gestern gewesen.",
        "It feels like yesterday.",
        "It lasted two weeks.",
    ],
)
def test_what_tells_no_day(text: str) -> None:
    assert told(text) == []


def test_a_week_that_is_named_counts_from_its_monday_whatever_day_it_is() -> None:
    assert told("我们上周二去了海边", THURSDAY) == ["上周二 = 2023-05-02"]
    assert told("先週の火曜日に会った", THURSDAY) == ["先週の火曜日 = 2023-05-02"]
    assert told("지난주 화요일에 만났다", THURSDAY) == ["지난주 화요일 = 2023-05-02"]


@pytest.mark.parametrize(
    "text",
    ["Yesterday, on 7 May, we sailed.", "Am 7. Mai 2023, also gestern, war Markt.", "Last week, on 3 May, it snowed."],
)
def test_a_day_that_the_sentence_names_is_not_told_again(text: str) -> None:
    assert told(text) == []


def test_today_is_told_only_where_no_label_tells_it() -> None:
    assert told("Today I baked.") == ["Today = 2023-05-08"]
    assert told("Heute war es warm.", MONDAY, "Tagebuch > 8. Mai 2023") == []
    assert told("Yesterday I baked.", MONDAY, "2023-05-08") == ["Yesterday = 2023-05-07"]


def test_the_same_day_is_told_once() -> None:
    assert told("Yesterday I baked, and yesterday it burned.") == ["Yesterday = 2023-05-07"]


@given(st.text(max_size=60), st.dates())
def test_days_stand_behind_words_of_any_text(text: str, day: date) -> None:
    for one in meant_days(f"yesterday {text} last week", day):
        assert 0 <= one.start < one.end <= len(text) + 20
