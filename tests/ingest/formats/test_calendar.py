"""Calendars."""

from __future__ import annotations

import pytest
from helpers.time_zones import in_zone
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import document, lines, texts

from noderag_local.domain.errors import DocumentError
from noderag_local.text.dates.repeated_days import rule_in_words


def test_an_event_is_a_statement() -> None:
    read = document("calendar", (DOCUMENTS / "orchard.ics").read_bytes(), "a.ics")
    assert read.title == "Orchard of Lindenau"
    assert texts(read) == [
        "Grafting course, with scions from the cellar of the press house and wax for everybody: "
        "2024-03-23 10:00 to 12:30. Place: Press house, Lindenau. "
        "Repeated: every year on the last Saturday in March, until 2030-03-31. "
        "With: Anneke Smit <anneke@orchard.example>.",
        "Bring a sharp knife.",
        "Tea is made; cake, too.",
        "Harvest of the Ontario: 2024-10-12 to 2024-10-14.",
    ]
    assert read.blocks[0].tags == ("orchard", "course")
    assert read.blocks[3].headings == ("Harvest of the Ontario",)


def test_an_event_names_its_lines() -> None:
    source = (DOCUMENTS / "orchard.ics").read_text(encoding="utf-8").split("\n")
    for first, last in lines(document("calendar", (DOCUMENTS / "orchard.ics").read_bytes(), "a.ics")):
        assert source[first - 1].strip() == "BEGIN:VEVENT"
        assert source[last - 1].strip() == "END:VEVENT"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"FREQ": ["DAILY"]}, "every day"),
        (
            {"FREQ": ["WEEKLY"], "INTERVAL": [2], "BYDAY": ["MO", "WE", "FR"]},
            "every 2 weeks on Monday, Wednesday and Friday",
        ),
        ({"FREQ": ["MONTHLY"], "BYDAY": ["-1FR"], "COUNT": [3]}, "every month on the last Friday, 3 times"),
        ({"FREQ": ["MONTHLY"], "BYMONTHDAY": [15]}, "every month on day 15"),
        ({"FREQ": ["OFTEN"]}, ""),
        ({}, ""),
    ],
)
def test_rules_in_words(rule: dict[str, list[object]], words: str) -> None:
    assert rule_in_words(rule) == words


@pytest.mark.parametrize(
    ("entry", "when"),
    [
        ("DTSTART;VALUE=DATE:20240510\nDUE;VALUE=DATE:20240510", "2024-05-10"),
        ("DTSTART;VALUE=DATE:20240510\nDUE;VALUE=DATE:20240512", "2024-05-10 to 2024-05-12"),
        ("DTSTART;VALUE=DATE:20240510\nDTEND;VALUE=DATE:20240510", "2024-05-10"),
        ("DTSTART;VALUE=DATE:20240510\nDURATION:P2D", "2024-05-10 to 2024-05-11"),
        ("DTSTART:20240510T100000\nDURATION:PT2H", "2024-05-10 10:00 to 12:00"),
        ("DUE;VALUE=DATE:20240510", "until 2024-05-10"),
    ],
)
def test_the_last_of_whole_days(entry: str, when: str) -> None:
    assert texts(document("calendar", f"BEGIN:VTODO\nSUMMARY:Tea\n{entry}\nEND:VTODO\n", "a.ics")) == [f"Tea: {when}."]


def events(*entries: str, zone: str = "") -> list[str]:
    """What is read of events, each of which has its own properties."""
    written = "".join(f"BEGIN:VEVENT\nSUMMARY:Tea\n{entry}\nEND:VEVENT\n" for entry in entries)
    return texts(document("calendar", f"BEGIN:VCALENDAR\n{zone}{written}END:VCALENDAR\n", "a.ics"))


def test_times_in_utc_are_told_by_the_clock_of_the_calendar() -> None:
    event = "DTSTART:20240501T223000Z\nDTEND:20240501T233000Z"
    zone = "X-WR-TIMEZONE:Europe/Berlin\n"
    assert events(event, zone=zone) == ["Tea: 2024-05-02 00:30 to 01:30 (Europe/Berlin)."]
    assert events("DUE:20240501T223000Z", zone=zone) == ["Tea: until 2024-05-02 00:30 (Europe/Berlin)."]


@pytest.mark.parametrize("property", ["X-WR-TIMEZONE:Europe/Berlin", "X-WR-TIMEZONE;VALUE=TEXT:Europe/Berlin"])
def test_the_zone_of_a_calendar_may_have_parameters(property: str) -> None:
    assert events("DTSTART:20240501T223000Z", zone=f"{property}\n") == ["Tea: 2024-05-02 00:30 (Europe/Berlin)."]


def test_days_at_the_end_of_all_time_are_read() -> None:
    rule = "DTSTART;TZID=Europe/Berlin:20240501T100000\nRRULE:FREQ=DAILY;UNTIL=99991231T235959Z"
    assert events(rule)[0].startswith("Tea: 2024-05-01 10:00")
    assert "1-01-01" in events("DTSTART:00010101T000000Z", zone="X-WR-TIMEZONE:America/New_York\n")[0]


@pytest.mark.parametrize("zone", ["", "X-WR-TIMEZONE:UTC\n", "X-WR-TIMEZONE:Atlantis\n"])
def test_times_in_utc_are_told_by_the_clock_of_this_machine(zone: str) -> None:
    with in_zone("America/New_York"):
        assert events("DTSTART:20240501T023000Z", zone=zone) == ["Tea: 2024-04-30 22:30."]


def test_the_end_of_a_flight_is_told_by_the_clock_of_its_start() -> None:
    flight = "DTSTART;TZID=Europe/Berlin:20240501T100000\nDTEND;TZID=America/New_York:20240501T130000"
    assert events(flight) == ["Tea: 2024-05-01 10:00 to 19:00 (Europe/Berlin)."]


def test_the_days_of_a_series_are_those_of_its_own_zone() -> None:
    series = (
        "UID:1\nDTSTART;TZID=America/New_York:20240501T200000\nRRULE:FREQ=WEEKLY;UNTIL=20240530T000000Z\n"
        "EXDATE:20240516T000000Z"
    )
    moved = "UID:1\nRECURRENCE-ID:20240509T000000Z\nDTSTART:20240509T010000Z"
    assert events(series, moved) == [
        "Tea: 2024-05-01 20:00 (America/New_York). Repeated: every week, until 2024-05-29, not on 2024-05-15.",
        "Tea: 2024-05-08 21:00 (America/New_York). Instead of: 2024-05-08 20:00.",
    ]
    # The rule names a day in UTC; it is another one in most other zones.
    assert events("DTSTART:20240501T223000Z\nRRULE:FREQ=WEEKLY;BYDAY=WE", zone="X-WR-TIMEZONE:Europe/Berlin\n") == [
        "Tea: 2024-05-01 22:30 (UTC). Repeated: every week on Wednesday."
    ]


def test_a_series_of_whole_days_keeps_its_days() -> None:
    series = (
        "DTSTART;VALUE=DATE:20240501\nRRULE:FREQ=DAILY;UNTIL=20240509T220000Z\nEXDATE;TZID=Asia/Tokyo:20240503T000000"
    )
    assert events(series) == ["Tea: 2024-05-01. Repeated: every day, until 2024-05-09, not on 2024-05-03."]


def test_a_broken_property_does_not_cost_the_event() -> None:
    event = "BEGIN:VEVENT\nSUMMARY:Tea\nDTSTART:soon\nRRULE:FREQ=OFTEN\nLOCATION:Kitchen\nEND:VEVENT\n"
    assert texts(document("calendar", event, "a.ics")) == ["Tea. Place: Kitchen."]


def test_what_is_no_calendar_is_told() -> None:
    with pytest.raises(DocumentError, match="BEGIN:VCALENDAR"):
        document("calendar", "Some text.", "a.ics")
