"""Bookmarks: the export of Firefox, Chrome and Safari, and the file where Chrome keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.time_zones import in_zone
from helpers.word_counter import read
from ingest.formats.known_text import DOCUMENTS, extracted
from ingest.formats.reading import document, texts

from noderag_local.ingest.formats.registry import format_of, known_format


@pytest.fixture(autouse=True)
def in_utc() -> Iterator[None]:
    with in_zone("UTC"):
        yield


def test_bookmarks_are_lines_under_their_folders() -> None:
    found = extracted(DOCUMENTS / "bookmarks-firefox.html")
    assert found.title == "Bookmarks Menu"
    assert [(block.headings, block.text) for block in found.blocks] == [
        ((), "Frost warnings & forecast (https://weather.example/rinteln), added 2024-05-03, tagged frost, weather: Warns the evening before."),
        ((), "Bookmarks Toolbar"),
        (("Bookmarks Toolbar",), "Add bookmarks to this folder to see them displayed on the Bookmarks Toolbar"),
        (("Bookmarks Toolbar",), "Recipes"),
        (("Bookmarks Toolbar", "Recipes"), "Rye bread of Gerda (https://bread.example/rye), added 2024-05-03: Needs two days."),
        (("Bookmarks Toolbar", "Recipes"), "Strudel (https://apples.example/strudel), added 2023-10-04."),
        ((), "The press of 1949 (https://press.example/)."),
    ]  # fmt: skip
    assert found.blocks[0].tags == ("frost", "weather")


def test_scripts_and_searches_of_the_browser_are_no_pages() -> None:
    said = " ".join(texts(extracted(DOCUMENTS / "bookmarks-firefox.html")))
    assert "Most Visited" not in said
    assert "Edit this page" not in said


def test_an_export_is_known_by_its_first_line_and_not_by_its_name(tmp_path: Path) -> None:
    page = "<html><body><h1>Bookmarks</h1><p>How to sort bookmarks.</p><a href='https://a.example'>A</a></body></html>"
    assert "How to sort bookmarks." in texts(document("html", page, "bookmarks.html"))
    (tmp_path / "old.htm").write_bytes((DOCUMENTS / "bookmarks-firefox.html").read_bytes())
    (found,), skipped = read(tmp_path / "old.htm")
    assert found.title == "Bookmarks Menu"
    assert skipped == []


def test_chrome_keeps_its_bookmarks_in_a_file_of_json() -> None:
    found = extracted(DOCUMENTS / "Bookmarks")
    assert [(block.headings, block.text) for block in found.blocks] == [
        ((), "Bookmarks bar"),
        (("Bookmarks bar",), "Ledgers of the valley (https://ledgers.example/), added 2021-01-01."),
        (("Bookmarks bar",), "Press"),
        (("Bookmarks bar", "Press"), "Oak baskets (https://baskets.example/oak), added 2021-01-01."),
    ]


@pytest.mark.parametrize("data", ["Call the bank.\n\nBuy ink.", '{"roots": 5}', "[" * 100_000])
def test_another_file_of_that_name_is_read_as_text(data: str) -> None:
    assert texts(document("bookmarks", data, "Bookmarks")) == data.split("\n\n")


def test_only_the_whole_name_is_that_of_chrome() -> None:
    assert format_of("/home/Bookmarks").name == "bookmarks"
    assert known_format("/home/My Bookmarks") is None
    assert known_format("/home/Bookmarks.bak") is None


def test_folders_without_end_are_walked() -> None:
    deep = '{"type":"folder","name":"f","children":[' * 400
    end = '{"type":"url","name":"page","url":"https://a.example","date_added":"x"}'
    data = f'{{"roots":{{"other":{deep}{end}{"]}" * 400}}}}}'
    assert texts(document("bookmarks", data, "Bookmarks"))[-1] == "page (https://a.example)."
