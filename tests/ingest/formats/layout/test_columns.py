"""The order of reading: columns, tables and what runs across, from pieces at places."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from noderag_local.ingest.formats.pdf.page_columns import reading_order
from noderag_local.ingest.formats.pdf.text_piece import TextPiece

LINE = "a line of text that fills the column"


def piece(text: str, left: float, baseline: float, right: float | None = None) -> TextPiece:
    return TextPiece(text, left, left + 5.0 * len(text) if right is None else right, baseline, 10.0)


def two_columns(lines: int = 10, top: float = 100.0) -> tuple[list[TextPiece], list[TextPiece]]:
    left = [piece(f"{LINE} l{line}", 50, top + 12 * line, 240) for line in range(lines)]
    return left, [piece(f"{LINE} r{line}", 260, top + 12 * line, 450) for line in range(lines)]


def order(pieces: list[TextPiece]) -> list[str]:
    return [line.text.split()[-1] for line in reading_order(pieces, 1)]


IN_COLUMNS = [f"l{line}" for line in range(10)] + [f"r{line}" for line in range(10)]


def test_columns_that_the_file_writes_one_after_the_other() -> None:
    left, right = two_columns()
    assert order(left + right) == IN_COLUMNS


def test_columns_that_the_file_writes_line_by_line_across() -> None:
    left, right = two_columns()
    assert order([one for pair in zip(left, right, strict=True) for one in pair]) == IN_COLUMNS


def test_what_runs_across_stands_between_the_bands() -> None:
    left, right = two_columns()
    below_left, below_right = two_columns(top=300)
    across = [
        piece("the title of the whole page", 50, 60, 450),
        piece("a figure that runs across both columns", 50, 260, 450),
    ]
    assert order(across + left + right + below_left + below_right) == ["page", *IN_COLUMNS, "columns", *IN_COLUMNS]


def test_three_columns() -> None:
    columns = [
        [piece(f"{LINE} {name}{line}", x, 100 + 12 * line, x + 150) for line in range(8)]
        for name, x in (("a", 40), ("b", 210), ("c", 380))
    ]
    assert order([one for column in columns for one in column]) == [
        f"{name}{line}" for name in "abc" for line in range(8)
    ]


def test_the_cells_of_a_table_stay_in_their_rows() -> None:
    rows = [[piece(f"tree{row}", 50, 100 + 12 * row), piece(f"{row}", 260, 100 + 12 * row)] for row in range(12)]
    lines = reading_order([cell for row in rows for cell in row], 1)
    assert [[text for _, text in line.cells] for line in lines] == [[f"tree{row}", str(row)] for row in range(12)]


def test_marks_of_a_list_that_are_written_last_stand_before_their_items() -> None:
    items = [piece(f"{LINE} i{line}", 70, 100 + 12 * line, 300) for line in range(6)]
    marks = [piece("•", 58, 100 + 12 * line, 63) for line in range(6)]
    assert [line.text.split()[0] for line in reading_order(items + marks, 1)] == ["•"] * 6


@given(st.lists(st.tuples(st.floats(0, 600), st.floats(0, 800), st.integers(1, 60)), max_size=60), st.integers())
def test_no_piece_is_lost_or_doubled(places: list[tuple[float, float, int]], seed: int) -> None:
    pieces = [piece(f"p{number}" + "x" * length, x, y) for number, (x, y, length) in enumerate(places)]
    random.Random(seed).shuffle(pieces)
    lines = reading_order(pieces, 1)
    assert sorted(one.text for line in lines for one in line.pieces) == sorted(one.text for one in pieces)
