"""The automaton: nothing it lets through is unbounded or marked up, and it never paints a model into a corner."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.graph.summaries.summary_lines import (
    DESCRIPTION_WORDS,
    MOST_LINES,
    TITLE_WORDS,
    ElementLine,
    SummaryConstraint,
    parse,
)
from noderag_local.models.llm.llamacpp.sampling import first_bytes

GOOD = "Early computing | Ada Lovelace and Charles Babbage worked on the Analytical Engine.\nPorto | Marta lives in Porto now."


def held(text: str | bytes, lines: int = MOST_LINES) -> SummaryConstraint | None:
    """The constraint after a text given byte by byte; None where it is refused."""
    constraint = SummaryConstraint(lines)
    for byte in text.encode() if isinstance(text, str) else text:
        if not constraint.allows(bytes((byte,))):
            return None
        constraint.accept(bytes((byte,)))
    return constraint


@pytest.mark.parametrize(
    "text",
    [GOOD, "日本の詩 | 松尾芭蕉は江戸時代の俳人であり、奥の細道を書いた。", "1984 | A novel by George Orwell, 1949."],
)
def test_lines_of_every_script_pass_and_may_end(text: str) -> None:
    constraint = held(text)
    assert constraint is not None
    assert constraint.may_end()


@pytest.mark.parametrize(
    "text",
    [
        "- Title | a b c d",
        "**Title** | a b c d",
        "Title | a b | c d",
        "Title|a b c d",
        "Title  | a b c d",
        "Title\n",
        "Title | a\n",
        " Title",
        "Title | " + "word " * (DESCRIPTION_WORDS + 1),
        "w " * (TITLE_WORDS + 1),
        "a | b c d e\n" * MOST_LINES,
        "a\x1b",
    ],
)
def test_markup_loose_delimiters_and_what_is_too_long_are_refused(text: str) -> None:
    assert held(text) is None


def test_a_full_title_is_followed_by_the_delimiter() -> None:
    constraint = held("w " * TITLE_WORDS)
    assert constraint is not None
    assert constraint.forced() == b"|"
    constraint.accept(b"|")
    assert constraint.forced() == b""
    assert constraint.allows(b" Words")
    assert not constraint.allows(b"Words")


def test_a_word_that_has_no_room_is_not_glued_to_the_one_before() -> None:
    constraint = held("Title | " + " ".join(["word"] * DESCRIPTION_WORDS))
    assert constraint is not None
    assert constraint.allows(b"s")
    assert not constraint.allows(b" cities")
    assert not constraint.allows(b"cities")
    assert constraint.allows(b"\n")
    assert constraint.may_end()
    constraint.accept(b"s")
    assert constraint.allows(b"s")


def test_a_last_line_ends_where_no_word_has_room() -> None:
    constraint = held("Title | " + " ".join(["word"] * DESCRIPTION_WORDS), lines=1)
    assert constraint is not None
    assert not constraint.allows(b" cities")
    assert first_bytes(constraint) == []
    assert constraint.may_end()


def test_no_end_before_something_is_said() -> None:
    for text in ("", "Title", "Title | ", "Title | one two", "Title | one two three four "):
        constraint = held(text)
        assert constraint is not None
        assert not constraint.may_end()


@given(st.binary(max_size=60))
def test_a_piece_is_allowed_exactly_when_its_bytes_are_one_by_one(piece: bytes) -> None:
    assert SummaryConstraint().allows(piece) == (bool(piece) and held(piece) is not None)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, MOST_LINES))
def test_every_way_through_ends_and_parses(seed: int, lines: int) -> None:
    """A model that writes whatever it likes among what is allowed comes to an end that parses."""
    choice = random.Random(seed)
    constraint, text = SummaryConstraint(lines), b""
    while True:
        allowed = [byte for byte in b"ab 1|\n*.\xc3\xa9-" if constraint.allows(bytes((byte,)))]
        forced = constraint.forced()
        assert not forced or constraint.allows(forced)
        if not allowed:
            break
        byte = choice.choice(allowed)
        constraint.accept(bytes((byte,)))
        text += bytes((byte,))
    assert constraint.may_end()
    assert 1 <= len(text.splitlines()) <= lines


def test_a_refused_piece_is_not_accepted() -> None:
    with pytest.raises(ValueError, match=r"b'\*'"):
        SummaryConstraint().accept(b"*")


def test_parsing_forgives_numbering_and_emphasis_from_models_without_a_constraint() -> None:
    text = '1. **Early computing**: | Ada and "Charles" met.\nno delimiter\n | nothing\n- Porto | Marta | lives there\n'
    assert list(parse(text)) == [
        ElementLine("Early computing", "Ada and Charles met."),
        ElementLine("Porto", "Marta lives there"),
    ]


def test_a_sentence_that_begins_in_the_title_is_joined_and_named_by_its_names() -> None:
    text = "Sweden was also among the top countries with | two medals.\nthe cake of | chestnuts"
    (line,) = parse(text)
    assert line == ElementLine("Sweden", "Sweden was also among the top countries with two medals.")
