"""Appointments of the next days, from calendars and notes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import pytest
from helpers.time_zones import in_zone
from vault.today.conftest import TODAY, PageOf

from noderag_local.vault.today.day_lines import DayPage


@pytest.fixture
def in_berlin() -> Iterator[None]:
    with in_zone("Europe/Berlin"):
        yield


def calendar(*events: str) -> str:
    entries = "".join(f"BEGIN:VEVENT\n{event}\nEND:VEVENT\n" for event in events)
    return f"BEGIN:VCALENDAR\n{entries}END:VCALENDAR\n"


def told(page: DayPage) -> list[tuple[int, str, str]]:
    return [(one.day.day, one.time, one.text) for one in page.appointments]


def test_events_of_a_calendar_in_the_time_of_this_machine(page_of: PageOf, in_berlin: None) -> None:
    events = calendar(
        "SUMMARY:Dentist, Dr. Pohl\nDTSTART:20261126T080000Z\nDTEND:20261126T083000Z\nLOCATION:Main St. 3",
        "SUMMARY:Flight\nDTSTART;TZID=America/New_York:20261126T200000",
        "SUMMARY:Over\nDTSTART:20261120T080000Z",
        "SUMMARY:Fair\nDTSTART;VALUE=DATE:20261120\nDTEND;VALUE=DATE:20261129",
        "SUMMARY:Cancelled\nDTSTART:20261127T080000Z\nSTATUS:CANCELLED",
    )
    page = page_of({"a.ics": events})
    assert told(page) == [
        (20, "", "Fair"),
        (26, "09:00 to 09:30", "Dentist, Dr. Pohl · Main St. 3"),
        (27, "02:00", "Flight"),
    ]
    assert page.appointments[0].until == date(2026, 11, 28)
    assert page.appointments[1].source.first_line == 2


def test_repeated_events_on_their_days_but_for_those_left_out_or_moved(page_of: PageOf, in_berlin: None) -> None:
    events = calendar(
        "SUMMARY:Choir\nDTSTART;TZID=Europe/Berlin:20260106T193000\nRRULE:FREQ=WEEKLY;BYDAY=TU,TH\n"
        "EXDATE;TZID=Europe/Berlin:20261203T193000",
        "SUMMARY:Choir\nRECURRENCE-ID;TZID=Europe/Berlin:20261201T193000\nDTSTART;TZID=Europe/Berlin:20261202T183000",
    )
    assert told(page_of({"a.ics": events})) == [(26, "19:30", "Choir"), (2, "18:30", "Choir")]


@pytest.mark.parametrize(
    ("other", "shown"),
    [("TU;UNTIL=20260301", ["Concert"]), ("WE", ["Concert", "Yoga"]), ("TU", ["Choir", "Yoga", "Concert"])],
)
def test_a_moved_event_with_a_name_of_its_own_replaces_the_only_series_at_its_time(
    other: str, shown: list[str], page_of: PageOf, in_berlin: None
) -> None:
    choir = "UID:1\nSUMMARY:Choir\nDTSTART;TZID=Europe/Berlin:20260106T193000\nRRULE:FREQ=WEEKLY;BYDAY=TU"
    moved = "UID:1\nSUMMARY:Concert\nRECURRENCE-ID;TZID=Europe/Berlin:20261201T193000\nDTSTART;TZID=Europe/Berlin:20261202T183000"
    yoga = f"UID:2\nSUMMARY:Yoga\nDTSTART;TZID=Europe/Berlin:20260106T193000\nRRULE:FREQ=WEEKLY;BYDAY={other}"
    page = page_of({"a.ics": calendar(choir, yoga, moved)}, days=6)
    assert [text for *_, text in told(page)] == shown


def test_sentences_that_name_a_coming_day(page_of: PageOf) -> None:
    page = page_of(
        {
            "plan.md": "# 28 November 2026\n\nDentist on 2 December 2026 at 11:00.\n\nThe lease ended on 20 November 2026.\n",
            "daily/2026-11-25.md": "Tomorrow the plumber comes.\n\nToday I slept.\n",
            "daily/2026-11-26.md": "Today it rains.\n",
            "daily/2026-11-29.md": "# Sunday\n\nLunch with Ana.\n",
            "list.txt": "27.11.2026 10:00 Zahnarzt\n",
        }
    )
    assert told(page) == [
        (26, "", "Tomorrow the plumber comes."),
        (27, "", "27.11.2026 10:00 Zahnarzt"),
        (29, "", "Lunch with Ana."),
        (2, "", "Dentist on 2 December 2026 at 11:00."),
    ]


def test_a_day_without_a_year_counts_if_its_weekday_fits(page_of: PageOf) -> None:
    page = page_of(
        {
            "bea.md": "fri 27 nov dinner at hers 20h\n\nmon 30 nov: tax, and tue 1 dec the doctor\n\nThe fair was on Wed 27 Nov.\n",
            "old.md": "Paid by 28 Nov, all of it.\n\nnew: 1 dec, 16.40. Not later than 1 Dec 24. On Monday 30 Nov 2020 it was.\n",
        }
    )
    assert told(page) == [
        (27, "", "fri 27 nov dinner at hers 20h"),
        (30, "", "mon 30 nov: tax, and tue 1 dec the doctor"),
    ]


def test_a_german_day_in_digits_counts_like_one_with_a_name(page_of: PageOf) -> None:
    notes = {
        "termine.md": "- Fr 27.11. Ausflug\n- Mo, 30.11.: Chor\n- Fr 1.12. war es\n- Kapitel 2.12. lesen\n\n- Geburtstag Lena 02.12.\n",
        "2026-11-20.md": "- Am 28.11. kommt Tom.\n- [ ] Steuer bis 29.11.\n",
    }
    page = page_of(notes)
    assert [(day, text.rpartition(": ")[2]) for day, _, text in told(page)] == [
        (27, "Fr 27.11. Ausflug"),
        (28, "Am 28.11. kommt Tom."),
        (30, "Chor"),
        (2, "Geburtstag Lena 02.12."),
    ]
    assert [str(task.due) for task in page.tasks] == ["2026-11-29"]


def test_a_line_of_today_was_planned_if_it_was_written_before_its_time(page_of: PageOf) -> None:
    notes = {"inbox.md": "- 2026-11-26 18:05 Call Ana\n", "log.md": "- 2026-11-26 07:05 Woke up\n"}
    assert told(page_of(notes, changed=datetime(2026, 11, 26, 8))) == [(26, "", "2026-11-26 18:05 Call Ana")]


def test_birthdays_with_and_without_a_year(page_of: PageOf) -> None:
    page = page_of(
        {
            "people/Nore.md": "# Nore\n\nNore was born on 30 November 2015. She likes bees.\n",
            "people/Rui.md": "# Rui\n\nHis bday is 28 November. Works in Porto.\n",
            "house.md": "The kitchen was finished on 29 November 2015.\n",
        }
    )
    assert told(page) == [
        (28, "", "Birthday of Rui: His bday is 28 November."),
        (30, "", "Birthday, 11 years: Nore was born on 30 November 2015."),
    ]


def test_a_word_that_begins_like_one_for_death_keeps_the_birthday(page_of: PageOf) -> None:
    line = "Her birthday, today week: 28 November."
    assert told(page_of({"people/Rui.md": f"# Rui\n\n{line}\n"})) == [(28, "", f"Birthday of Rui: {line}")]


@pytest.mark.parametrize(
    "line",
    [
        "Oma Grete, * 3.5.1950, † 28.11.2020",
        "Oma Grete, born 1950, died 28 November 2020.",
        "Oma Grete, geb. 3.5.1950, gest. 28.11.2020",
        "Geburtstag 3.5., Todestag 28.11.2020",
        "Geboren 1950, gestorben 28. November 2020",
        "Geboren 1950, verstorben 28. November 2020",
        "Geboren in Ulm, Tod 28. November 2020",
        "NATO summit 28 November 2019.",
        "Comprar nata, 28 de noviembre de 2019.",
    ],
)
def test_a_day_of_death_and_other_days_are_no_birthdays(line: str, page_of: PageOf) -> None:
    assert told(page_of({"people/oma.md": f"# Oma Grete\n\n{line}\n"})) == []


def test_a_birthday_is_of_the_title_only_if_that_is_a_person(page_of: PageOf) -> None:
    notes = {"termine.md": "Geburtstag 28.11.\n", "Anna Berger.md": "Nata il 29 novembre 1980.\n"}
    assert told(page_of(notes)) == [
        (28, "", "Birthday: Geburtstag 28.11."),
        (29, "", "Birthday of Anna Berger, 46 years: Nata il 29 novembre 1980."),
    ]


def test_check_boxes_are_tasks_and_no_appointments(page_of: PageOf) -> None:
    page = page_of({"a.md": "- [x] pay by 27 November 2026\n- [ ] call by 28 November 2026\n"})
    assert told(page) == []
    assert [one.text for one in page.tasks] == ["call by 28 November 2026"]


def test_a_broken_calendar_costs_nothing_else(page_of: PageOf) -> None:
    events = calendar(
        "SUMMARY:Never\nDTSTART;VALUE=DATE:00010101\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31",
        "SUMMARY:Odd zone\nDTSTART;TZID=../../etc/passwd:20261127T080000",
        "SUMMARY:Ends before it begins\nDTSTART;VALUE=DATE:20261128\nDTEND;VALUE=DATE:20261101",
        "SUMMARY:At the end of time\nDTSTART:99991231T235959Z\nRRULE:FREQ=DAILY",
    )
    assert told(page_of({"a.ics": events})) == [(27, "08:00", "Odd zone"), (28, "", "Ends before it begins")]


def test_nothing_at_all(page_of: PageOf) -> None:
    page = page_of({"a.md": "A fern.\n"})
    assert page.is_empty
    assert (page.day, page.last) == (TODAY, date(2026, 12, 3))
