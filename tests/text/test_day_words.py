"""Sentences carry the days they speak of, seen from the day they were written."""

from __future__ import annotations

from datetime import date

import pytest

from noderag_local.storage.documents.texts import SentenceInPlace
from noderag_local.text.dates.dates_in_text import said_dates
from noderag_local.text.dates.day_words import asked_days, day_words, with_own_days

DAY = date(2023, 5, 8)


def own_days(*sentences: SentenceInPlace) -> list[str]:
    return [str(day) for _, day in with_own_days(sentences)]


def in_place(text: str, path: str = "/a.md", title: str = "", *headings: str, document: int = 1) -> SentenceInPlace:
    return SentenceInPlace(1, document, path, title, headings, text)


@pytest.mark.parametrize(
    "spelled",
    ["2023-05-07", "7 May 2023", "May 7, 2023", "May 7 2023", "7. Mai 2023", "7 de mayo de 2023", "07.05.2023", "07.05.23",
     "2023年5月7日", "7 мая 2023", "on 7 May", "yesterday"],
)  # fmt: skip
def test_a_day_is_the_same_however_it_is_written(spelled: str) -> None:
    assert "=2023-05-07" in day_words(said_dates(f"We sailed {spelled}.", DAY), DAY)


@pytest.mark.parametrize("text", ["you may 5", "version 1.2.23", "Marathon 2020", "3/4/2020", "Room 12"])
def test_what_is_no_day(text: str) -> None:
    assert said_dates(text, DAY) == []


def test_a_note_without_a_day_resolves_nothing() -> None:
    assert day_words(said_dates("We sailed yesterday, on 5 May.", None), None) == []


def test_the_nearest_date_over_a_sentence_is_its_day() -> None:
    diary = "/2020-01-01.md"
    assert own_days(in_place("Rain.", diary)) == ["2020-01-01"]
    assert own_days(in_place("Rain.", diary, "Ana and Ben, 3 May 2024")) == ["2024-05-03"]
    assert own_days(in_place("Rain.", diary, "Diary", "2023", "Tuesday, 9 May 2023")) == ["2023-05-09"]
    assert own_days(in_place("Rain.")) == ["None"]


@pytest.mark.parametrize(
    ("path", "title", "headings", "text", "day"),
    [
        ("/Log/Wk 28 (7 Jul).md", "Log 2025, wk 28", (), "Tue 8/7 [NW 4, 1016]", "2025-07-08"),
        ("/Journal 2025/July.md", "", ("Tue 8",), "Rain.", "2025-07-08"),
        ("/2025/07 July/week two.md", "", ("8th",), "Rain.", "2025-07-08"),
        ("/2025-W28.md", "", ("Tuesday",), "Rain.", "2025-07-08"),
        ("/Wochen/KW 28 2025.md", "", (), "Mi: Regen", "2025-07-09"),
        ("/diary.md", "Diary", ("2025", "July", "8"), "Rain.", "2025-07-08"),
        ("/diary.md", "Diary 2025", ("8 July",), "Rain.", "2025-07-08"),
        ("/Money 2025.md", "", (), "8 July - drill, £20", "2025-07-08"),
        ("/2025-07-06.md", "", ("Plans for 8 July",), "Rain.", "2025-07-08"),
        ("/week of 2025-07-07.md", "", (), "On Tuesday we hiked up Max Patch.", "2025-07-08"),
        ("/week of 2025-07-07.md", "", (), "Rain on Tuesday and on Friday.", "None"),
        # Numbers and words that are no days.
        ("/Money 2025.md", "", ("8",), "Rain.", "None"),
        ("/2025-07.md", "", ("12 apples",), "Rain.", "None"),
        ("/2025-W28.md", "", (), "Note: rain.", "None"),
        ("/diary.md", "Diary", ("8 July",), "Rain.", "None"),
    ],
)
def test_a_day_without_a_year_is_of_the_week_month_or_year_of_its_note(
    path: str, title: str, headings: tuple[str, ...], text: str, day: str
) -> None:
    assert own_days(in_place(text, path, title, *headings)) == [day]


def test_the_date_in_front_of_a_turn_holds_until_the_next() -> None:
    talk = ["[07.05.23, 13:56] Ana: Hello!", "I sailed yesterday.", "2023-05-09 08:10 - Ben: I see."]
    assert own_days(*map(in_place, talk)) == ["2023-05-07", "2023-05-07", "2023-05-09"]
    assert own_days(in_place("Since 8 May 1945 there is peace.")) == ["None"]


@pytest.mark.parametrize(
    "line",
    ["24.12.2026: Flug nach Rom", "14.10.2026 18:00 concert", "3 September - Dentist", "2025-03-01 | tax return"],
)
def test_a_plan_in_a_note_of_a_day_dates_no_other_line(line: str) -> None:
    plan, other = own_days(in_place(line, "/2026-07-14.md"), in_place("Yesterday Paul came.", "/2026-07-14.md"))
    assert (plan != "2026-07-14", other) == (True, "2026-07-14")


def test_days_with_a_colon_hold_in_a_log_but_are_plans_in_a_note_of_a_day() -> None:
    lines = ["2025-05-03: went to Rome.", "It rained.", "2025-05-04: went home.", "It rained."]
    log = own_days(*(in_place(line, "/journal.md", "Journal 2025-01-01") for line in lines))
    assert log == ["2025-05-03", "2025-05-03", "2025-05-04", "2025-05-04"]
    for title in ("2025-01-01", "Wednesday, 1 January 2025"):
        plans = own_days(*(in_place(line, "/a.md", title) for line in lines))
        assert plans == ["2025-05-03", "2025-01-01", "2025-05-04", "2025-01-01"]


def test_an_entry_with_a_time_holds_unless_it_is_later_than_its_note() -> None:
    talk = ["2026-07-15 08:10 - Ben Lang: I see.", "Rain.", "2026-07-13 09:00 Swam.", "Cold."]
    assert own_days(*(in_place(line, "/2026-07-14.md") for line in talk)) == 2 * ["2026-07-15"] + 2 * ["2026-07-13"]


@pytest.mark.parametrize("line", ["Dentist 3 September", "Invoice 2026-06-30", "Konzert 24.12.2026"])
def test_a_day_behind_a_word_that_is_no_weekday_is_not_that_of_the_line(line: str) -> None:
    assert own_days(in_place(line, "/2026-07-14.md")) == ["2026-07-14"]
    assert own_days(in_place(line)) == ["None"]


@pytest.mark.parametrize("line", ["**Wednesday, 15 July 2026**", "2026-07-15 08:10 - Ben: I see.", "Mi., 15.07.2026"])
def test_a_line_that_is_a_date_or_a_turn_holds_in_a_note_of_a_day(line: str) -> None:
    days = own_days(in_place(line, "/2026-07-14.md"), in_place("Rain.", "/2026-07-14.md"))
    assert days == ["2026-07-15", "2026-07-15"]


def test_a_mail_is_of_the_day_it_was_sent() -> None:
    mail = ["From Ana <a@b.example> to Ben <b@b.example>, 2026-11-16 11:12.", "I was there yesterday."]
    assert own_days(*map(in_place, mail)) == ["2026-11-16", "2026-11-16"]
    assert own_days(*map(in_place, mail[:1]), in_place("Rain.", document=2)) == ["2026-11-16", "None"]


def told(text: str, path: str = "/a.md", title: str = "", *headings: str) -> SentenceInPlace:
    return in_place(text, path, title, *headings)._replace(day="2026-05-03")


def test_the_own_day_of_a_note_is_that_of_its_sentences_if_nothing_nearer_tells_one() -> None:
    assert own_days(told("We sailed yesterday.")) == ["2026-05-03"]
    assert own_days(told("Rain.", "/2026-05-04.md")) == ["2026-05-04"]
    assert own_days(told("Rain.", "/a.md", "Porto, 5 May 2026")) == ["2026-05-05"]
    assert own_days(told("Rain.", "/a.md", "Diary", "6 May 2026")) == ["2026-05-06"]
    assert own_days(told("Rain.", "/2026/05 May/a.md", "Money 2026")) == ["2026-05-03"]
    assert own_days(told("2026-05-07: rain."), told("Snow.")) == ["2026-05-07", "2026-05-07"]


@pytest.mark.parametrize(
    ("path", "heading"), [("/2026-W20.md", "Notes"), ("/2026-04.md", "Notes"), ("/a.md", "2026-W20")]
)
def test_the_own_day_dates_nothing_in_a_week_or_month_that_is_named(path: str, heading: str) -> None:
    assert own_days(told("Rain yesterday.", path, "", heading)) == ["None"]


@pytest.mark.parametrize(
    ("path", "title", "heading", "day"),
    [
        ("/memoir.md", "Memoir", "2019", "None"),
        ("/memoir 2019.md", "Memoir", "Porto", "None"),
        ("/memoir.md", "Memoir 2019", "2026", "2026-05-03"),
    ],
)
def test_the_own_day_dates_nothing_in_another_year(path: str, title: str, heading: str, day: str) -> None:
    assert own_days(told("Yesterday we sailed to Porto.", path, title, heading)) == [day]


def test_a_log_with_an_own_day_has_the_days_of_its_entries() -> None:
    log = [told("Begun."), told("2026-05-10 - two lengths"), told("Cold."), told("2026-05-12 - three lengths")]
    assert own_days(*log) == ["2026-05-03", "2026-05-10", "2026-05-10", "2026-05-12"]


def test_a_question_asks_for_its_days_and_the_months_of_those_that_it_writes_out() -> None:
    asked = asked_days("Did I sail on 7 May 2023, or last week?", DAY)
    assert list(map(str, asked)) == ["2023-05-07", "2023-05", "2023-05-01 to 2023-05-07"]
