"""What was written late in the evening belongs to the day of that evening, in all exports of other programs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from helpers.time_zones import in_zone
from helpers.word_counter import read
from helpers.word_counter import texts as sentence_texts
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import documents, texts

from noderag_local.ingest.formats.local_day import local_day, local_day_of
from noderag_local.ingest.formats.markup.chrome_bookmarks import SECONDS_TO_1970

EVENING = 1714764600
"""2024-05-03, half past seven in the evening in UTC."""
ZONES = {"UTC": "2024-05-03", "Europe/Berlin": "2024-05-03", "EST5": "2024-05-03", "Asia/Tokyo": "2024-05-04"}
"""Zone → day of that instant there: 21:30 in Berlin, 14:30 at the American coast, 4:30 in Tokyo."""


def firefox(seconds: int) -> tuple[str, str, str]:
    page = f'<!DOCTYPE NETSCAPE-Bookmark-file-1><dl><dt><a href="https://a.example" add_date="{seconds}">A</a></dl>'
    return "html", page, "bookmarks.html"


def chrome(seconds: int) -> tuple[str, str, str]:
    page = {"type": "url", "url": "https://a.example", "date_added": str((seconds + SECONDS_TO_1970) * 1_000_000)}
    return "bookmarks", json.dumps({"roots": {"other": {"name": "Others", "children": [page]}}}), "Bookmarks"


def keep(seconds: int) -> tuple[str, str, str]:
    return "keep", json.dumps({"textContent": "A.", "createdTimestampUsec": seconds * 1_000_000}), "a.json"


def evernote(seconds: int) -> tuple[str, str, str]:
    written = datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%dT%H%M%SZ")
    return "evernote", f"<en-export><note><title>A</title><created>{written}</created></note></en-export>", "a.enex"


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("export", [firefox, chrome, keep, evernote])
def test_all_exports_tell_one_day_by_the_zone_of_this_machine(
    export: Callable[[int], tuple[str, str, str]], zone: str
) -> None:
    file = export(EVENING)
    with in_zone(zone):
        (found,) = documents(*file)
    assert ZONES[zone] in " ".join(texts(found))


@pytest.mark.parametrize(
    ("zone", "last_minutes", "next_day"),
    [("Europe/Berlin", EVENING + 2 * 3600, EVENING + 3 * 3600), ("EST5", EVENING + 9 * 3600, EVENING + 10 * 3600)],
)
def test_half_past_eleven_is_still_of_the_day(zone: str, last_minutes: int, next_day: int) -> None:
    with in_zone(zone):
        assert (local_day(last_minutes), local_day(next_day)) == ("2024-05-03", "2024-05-04")
        (evening,), (morning,) = documents(*firefox(last_minutes)), documents(*firefox(next_day))
    assert texts(evening) == ["A (https://a.example), added 2024-05-03."]
    assert texts(morning) == ["A (https://a.example), added 2024-05-04."]


def test_a_work_of_zotero_was_added_on_the_day_of_this_machine(tmp_path: Path) -> None:
    path = tmp_path / "zotero.sqlite"
    path.write_bytes((DOCUMENTS / "zotero.sqlite").read_bytes())
    rows = sqlite3.connect(path)
    rows.execute("UPDATE items SET dateAdded = '2021-05-03 22:30:11'")
    rows.commit()
    rows.close()
    with in_zone("Europe/Berlin"):
        found = documents("zotero", path.read_bytes(), path.name)
    said = " ".join(text for one in found for text in texts(one))
    assert "Added to Zotero: 2021-05-04." in said
    assert "2021-05-03" not in said


def test_the_process_that_reads_behind_walls_knows_the_zone(tmp_path: Path) -> None:
    _, page, name = firefox(EVENING)
    (tmp_path / name).write_text(page, encoding="utf-8")
    with in_zone("Asia/Tokyo"):
        (in_tokyo,), _ = read(tmp_path / name)
    with in_zone("Europe/Berlin"):
        (in_berlin,), _ = read(tmp_path / name)
    assert sentence_texts(in_tokyo) == ["A (https://a.example), added 2024-05-04."]
    assert sentence_texts(in_berlin) == ["A (https://a.example), added 2024-05-03."]


@pytest.mark.parametrize("seconds", [1e300, float("inf"), float("nan"), 10**400, 10**13])
def test_an_instant_that_no_calendar_has_is_left_out(seconds: float) -> None:
    assert local_day(seconds) == ""


@pytest.mark.parametrize("moment", ["", "soon", "2024-05-03", "2024-13-03 10:00:00", "2024-05-03 10:00:00 more"])
def test_what_is_no_instant_is_left_out(moment: str) -> None:
    assert local_day_of(moment, "%Y-%m-%d %H:%M:%S") == ""


@pytest.mark.parametrize("number", ["0", "-5", "9" * 17, "soon", ""])
def test_bookmarks_without_a_sound_time_have_no_day(number: str) -> None:
    page = f'<!DOCTYPE NETSCAPE-Bookmark-file-1><dl><dt><a href="https://a.example" add_date="{number}">A</a></dl>'
    (found,) = documents("html", page, "bookmarks.html")
    assert texts(found)[0].startswith("A (https://a.example)")
