"""Calendars."""

from __future__ import annotations

import pytest
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


def test_a_broken_property_does_not_cost_the_event() -> None:
    event = "BEGIN:VEVENT\nSUMMARY:Tea\nDTSTART:soon\nRRULE:FREQ=OFTEN\nLOCATION:Kitchen\nEND:VEVENT\n"
    assert texts(document("calendar", event, "a.ics")) == ["Tea. Place: Kitchen."]


def test_what_is_no_calendar_is_told() -> None:
    with pytest.raises(DocumentError, match="BEGIN:VCALENDAR"):
        document("calendar", "Some text.", "a.ics")
