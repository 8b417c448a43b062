"""Rows of tables as statements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.ingest.formats.office.tabular import is_header, stated_rows, statements


def test_each_value_has_the_name_of_its_column() -> None:
    assert statements(("Name", "Amount"), ("Jonas", "12")) == "Name: Jonas; Amount: 12"


@pytest.mark.parametrize(
    ("header", "row", "statement"),
    [
        ((), ("Jonas", "12"), "Jonas; 12"),
        (("Name",), ("Jonas", "12"), "Name: Jonas; 12"),
        (("Name", "Amount"), ("Jonas",), "Name: Jonas"),
        (("Name", "Amount"), ("", " 12\n"), "Amount: 12"),
        (("", "Amount:"), ("Jonas", "12"), "Jonas; Amount: 12"),
        (("Name", "Amount"), ("", ""), ""),
    ],
)
def test_rows_that_do_not_fit_their_header(header: tuple[str, ...], row: tuple[str, ...], statement: str) -> None:
    assert statements(header, row) == statement


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("Name", "Amount"), True),
        (("", "2023 total", "Share"), True),
        (("Name", "Amount", ""), True),
        (("Name",), False),
        (("Jonas", "12"), False),
        (("Jonas", "2024-05-01"), False),
        (("Name", "Name"), False),
        (("Name", "", "Amount"), False),
        (("Name", "x" * 81), False),
    ],
)
def test_what_looks_like_a_header(row: tuple[str, ...], expected: bool) -> None:
    assert is_header(row) is expected


def test_a_table_of_numbers_has_no_header() -> None:
    assert list(stated_rows([("1", "2"), ("3", "4")])) == [(0, "1; 2"), (1, "3; 4")]


def test_a_header_alone_is_said() -> None:
    assert list(stated_rows([("Name", "Amount")])) == [(0, "Name; Amount")]


def test_the_first_cell_names_the_others_where_there_is_no_header() -> None:
    rows = [("Name:", "Jane Doe"), ("Born", "1 May", "in Rome"), ("Berlin", ""), ("", "x"), ("2024", "y")]
    assert [text for _, text in stated_rows(rows, has_header=False)] == [
        "Name: Jane Doe",
        "Born: 1 May; in Rome",
        "Berlin",
        "x",
        "2024; y",
    ]


@given(st.lists(st.lists(st.text(max_size=8), max_size=5), max_size=6))
def test_no_value_is_lost(rows: list[list[str]]) -> None:
    said = " ".join(text for _, text in stated_rows(rows))
    for row in rows:
        for cell in row:
            assert all(word.rstrip(":") in said or len(rows) > 1 for word in cell.split())
    for row in rows[1:]:
        assert all(word in said for cell in row for word in cell.split())
