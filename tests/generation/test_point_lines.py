"""What may stand in the lines by which a model chooses passages, and what is read from them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.generation.filtering import MOST_POINTS, Point, PointConstraint, parse, quotable

SOURCES = {
    2: "The Marlin was built in Hull in 1931. It was sold to Ms Okafor.",
    12: quotable("机长是李雷。他住在上海。Table | row"),
}


def accepts(text: str) -> bool:
    """Whether the constraint lets a text be written byte by byte and end."""
    constraint = PointConstraint(SOURCES)
    for byte in text.encode():
        piece = bytes((byte,))
        if not constraint.allows(piece):
            return False
        constraint.accept(piece)
    return constraint.may_end()


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "[2] The Marlin was built in Hull in 1931. | 3",
        "[2] built in Hull | 1\n",
        "[2] It was sold to Ms Okafor. | 2\n[12] 机长是李雷。 他住在上海。 Table / row | 0",
        "[12] 他住在上海。 Table / row | 2",
    ],
)
def test_whole_words_of_a_source_with_a_score_are_allowed(text: str) -> None:
    assert accepts(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4",
        "00",
        "[3] The Marlin was built in Hull | 3",
        "[2] The Marlin sank in Hull | 3",
        "[2] he Marlin was built | 3",
        "[2] The Marlin was bui | 3",
        "[2] The Marlin | 3",
        "[2] The Marlin was built | 4",
        "[2] The Marlin was built | 31",
        "[2] The Marlin was built |",
        "[2] The Marlin was built\n",
        "0\n[2] The Marlin was built | 3",
    ],
)
def test_nothing_else_is_allowed(text: str) -> None:
    assert not accepts(text)


def test_a_text_has_so_many_lines_at_most() -> None:
    line = "[2] The Marlin was built | 3"
    assert accepts("\n".join([line] * MOST_POINTS))
    assert not accepts("\n".join([line] * (MOST_POINTS + 1)))


def test_a_long_passage_ends_with_the_word_that_passes_the_limit() -> None:
    constraint = PointConstraint({1: "word " * 100})
    constraint.accept(b"[1] " + b"word " * 48 + b"word")
    assert not constraint.allows(b" word")
    assert constraint.allows(b" | 1")


def test_a_piece_that_is_not_allowed_cannot_be_accepted() -> None:
    with pytest.raises(ValueError, match="not allowed"):
        PointConstraint(SOURCES).accept(b"[7]")
    assert not PointConstraint(SOURCES).allows(b"")
    assert PointConstraint(SOURCES).forced() == b""


BYTES = sorted({*"".join(SOURCES.values()).encode(), *b"0123[] |\n"})
"""All that a text can be made of."""


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, len(BYTES) - 1), max_size=80))
def test_whatever_a_model_likes_best_the_text_stays_one_that_can_be_read(liked: list[int]) -> None:
    """Always the first allowed byte from the liked one upwards: the text never gets stuck, and its points are found."""
    constraint, text = PointConstraint(SOURCES), b""
    for first in liked:
        allowed = (byte for byte in (*BYTES[first:], *BYTES[:first]) if constraint.allows(bytes((byte,))))
        byte = next(allowed, None)
        if byte is None:
            break
        constraint.accept(bytes((byte,)))
        text += bytes((byte,))
    assert constraint.may_end() or any(constraint.allows(bytes((byte,))) for byte in BYTES)
    whole = [line for line in text.decode(errors="ignore").split("\n") if line[-4:-1] == " | " and line[-1] in "123"]
    assert len(parse("\n".join(whole), SOURCES)) == len({line.rpartition(" | ")[0] for line in whole})


def test_points_are_read_with_their_scores_and_each_once() -> None:
    written = "[2] built in Hull | 2\n2. “It was sold to Ms Okafor.” | 3\n[2] built in Hull | 1\n[12] 他住在上海。 | 1"
    assert parse(written, SOURCES) == [
        Point(2, "built in Hull", 2),
        Point(2, "It was sold to Ms Okafor.", 3),
        Point(12, "他住在上海。", 1),
    ]


@pytest.mark.parametrize(
    "written",
    [
        "",
        "0",
        "[2] built in Hull | 0",
        "[3] built in Hull | 3",
        "[2] built in Bern | 3",
        "[2] built in Hull",
        "[2] | 3",
    ],
)
def test_what_does_not_help_or_stands_nowhere_is_no_point(written: str) -> None:
    assert parse(written, SOURCES) == []
