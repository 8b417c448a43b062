"""How a person is told where something stands."""

from __future__ import annotations

import pytest

from noderag_local.system.printing.cited_place import ends, named, spanned, where


@pytest.mark.parametrize(
    ("places", "one"),
    [
        ([], ""),
        (["", ""], ""),
        (["page 3", "", "page 3"], "page 3"),
        (["page 3", "page 4", "page 5"], "page 3 – page 5"),
        (["page 1 – page 2", "page 2 – page 4"], "page 1 – page 4"),
        (["a, b.md, line 3", "a, b.md, line 5"], "a, b.md, line 3 – line 5"),
        (["a.md, line 3 – line 5", "a.md, line 7 – line 9"], "a.md, line 3 – line 9"),
        (["sheet A, row 3", "sheet B, row 2"], "sheet A, row 3 – sheet B, row 2"),
    ],
)
def test_places_in_reading_order_are_one(places: list[str], one: str) -> None:
    assert spanned(places) == one


@pytest.mark.parametrize(
    ("place", "both"),
    [
        ("page 3", ("page 3", "page 3")),
        ("page 3 – page 4", ("page 3", "page 4")),
        ("a.md, line 3 – line 5", ("a.md, line 3", "a.md, line 5")),
        ("sheet A, row 3 – sheet B, row 2", ("sheet A, row 3", "sheet B, row 2")),
    ],
)
def test_a_range_has_two_ends(place: str, both: tuple[str, str]) -> None:
    assert ends(place) == both


@pytest.mark.parametrize(
    ("first", "last", "place", "told", "short"),
    [
        (3, 3, "", "line 3", "a.x:3"),
        (3, 5, "", "lines 3–5", "a.x:3-5"),
        (0, 0, "page 3", "page 3", "a.x, page 3"),
        (3, 5, "00:01:05", "lines 3–5, 00:01:05", "a.x:3-5, 00:01:05"),
        (0, 0, "", "", "a.x"),
    ],
)
def test_lines_where_there_are_some_and_the_place_where_there_is_one(
    first: int, last: int, place: str, told: str, short: str
) -> None:
    assert where(first, last, place) == told
    assert named("a.x", first, place, last) == short
