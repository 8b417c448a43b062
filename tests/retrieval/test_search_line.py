"""A line of words and filters."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.errors import SettingsError
from noderag_local.domain.passages import Scope
from noderag_local.retrieval.search_line import HalfFilter, SearchLine, half_filter, read_search_line, written


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", SearchLine()),
        ("the  lease", SearchLine("the lease")),
        ('folder:"my trips" porto', SearchLine("porto", Scope(folder="my trips"))),
        ("porto #travel", SearchLine("porto", Scope(tag="travel"))),
        ("TAG:#travel", SearchLine("", Scope(tag="travel"))),
        ("kind:.PDF rent", SearchLine("rent", kind="pdf")),
        ("after:2024 x", SearchLine("x", Scope(since=date(2025, 1, 1)))),
        ("before:2024-03", SearchLine("", Scope(until=date(2024, 2, 29)))),
        ("since:2024 until:2024", SearchLine("", Scope(since=date(2024, 1, 1), until=date(2024, 12, 31)))),
        ("after:2023 since:2020", SearchLine("", Scope(since=date(2024, 1, 1)))),
        ("folder: tag: after:", SearchLine()),
        ("thereafter:2024 http://x", SearchLine("thereafter:2024 http://x")),
        ("#", SearchLine("#")),
    ],
)
def test_what_a_line_says(text: str, line: SearchLine) -> None:
    assert read_search_line(text) == line


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("after:20", "20 is no date"),
        ("before:2024-13", "2024-13 is no date"),
        ("tag:a tag:b", "one tag"),
        ("after:2024 before:2024", "No day is both"),
        ("after:9999", "No day is after 9999"),
        ("before:0001", "No day is before 0001"),
        ("since:2025 until:2024", "swap the two days"),
    ],
)
def test_what_no_line_can_say(text: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        read_search_line(text)


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("porto folder:ho", HalfFilter("folder", "ho", 6)),
        ("kind:", HalfFilter("kind", "", 0)),
        ('folder:"my tr', HalfFilter("folder", "my tr", 0)),
        ('folder:"', HalfFilter("folder", "", 0)),
        ("#tra", HalfFilter("tag", "tra", 0)),
        ('folder:"my trips"', None),
        ("folder:ho ", None),
        ("porto", None),
        ("", None),
    ],
)
def test_the_filter_that_is_being_typed(text: str, half: HalfFilter | None) -> None:
    assert half_filter(text) == half


@given(st.text())
def test_no_line_fails_in_another_way(text: str) -> None:
    half_filter(text)
    try:
        read_search_line(text)
    except SettingsError:
        return


@given(st.text(st.characters(exclude_characters='"\n\r\x1c\x1d\x1e\x85\u2028\u2029'), min_size=1))
def test_a_folder_is_read_as_it_was_written(name: str) -> None:
    folder = " ".join(name.split())
    assert read_search_line(written("folder", folder)).scope.folder == folder
