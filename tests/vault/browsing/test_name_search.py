"""Finding things by their names as one types."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.text.folding import folded
from noderag_local.vault.browsing.name_search import BEGUN, HELD, TYPED, WORD_BEGUN, NameSearch


def test_the_nearer_a_name_the_earlier_its_row() -> None:
    names = ["the report", "port", "Porto", "Old Port", "airport"]
    found = NameSearch([name] for name in names).matching("port")
    assert [names[row] for row in found[TYPED]] == ["port"]
    assert [names[row] for row in found[BEGUN]] == ["Porto"]
    assert [names[row] for row in found[WORD_BEGUN]] == ["Old Port"]
    assert [names[row] for row in found[HELD]] == ["the report", "airport"]


def test_an_alias_that_is_typed_is_as_near_as_a_title() -> None:
    found = NameSearch([("Mietvertrag", "lease"), ("lease of the garage",)]).matching("Lease")
    assert (found[TYPED], found[BEGUN]) == ([0], [1])


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("mtvrtrg", ["Mietvertrag"]),
        ("prto", ["Pórto and the river"]),
        ("mntsmtng", ["Minutes of the meeting"]),
        ("the mtng", ["Minutes of the meeting"]),
        ("rvt", []),
        ("pr", []),
        ("mg", []),
        ("", []),
        ("   ", []),
    ],
)
def test_letters_in_order_find_names_that_begin_with_the_first(typed: str, names: list[str]) -> None:
    all_names = ["Mietvertrag", "Pórto and the river", "Minutes of the meeting"]
    rows = NameSearch([name] for name in all_names).in_order(typed)
    assert [all_names[row] for row in rows] == names


def test_letters_do_not_run_from_one_name_into_another() -> None:
    assert NameSearch([("pa", "ris")]).in_order("paris") == []


@given(st.text(max_size=30), st.lists(st.text(max_size=10), max_size=4))
def test_nothing_that_is_typed_fails_and_what_is_typed_whole_is_found(typed: str, others: list[str]) -> None:
    name = " ".join(typed.split())
    search = NameSearch([[name], *([" ".join(one.split())] for one in others)])
    assert not folded(name).split() or 0 in search.matching(typed)[TYPED]
    search.in_order(typed)
