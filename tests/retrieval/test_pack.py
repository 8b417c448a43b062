"""Packing: never over budget, best first, grouped by passage, nothing twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.passages import Source
from noderag_local.retrieval.packing.lead_ins import UNKNOWN, SentenceShape
from noderag_local.retrieval.packing.packing_budget import FEW_WORDS, GAP, Piece, pack
from noderag_local.system.printing.plain_text import printable


def piece(
    number: int,
    passage: int = 0,
    position: int = 0,
    text: str = "",
    title: str = "",
    headings: tuple[str, ...] = (),
    line: int = 0,
) -> Piece:
    words = text or f"sentence number {number}."
    line = line or position + 1
    place = Source(0, f"/notes/{passage}.md", 0, title, headings, line, line, 10 * position, 10 * line, words)
    return Piece.of_sentence(number, passage, position, words_in(words), place)


def words_in(text: str) -> int:
    """A tokenizer simple enough to reckon with: four characters a token, rounded up."""
    return -(-len(text.encode()) // 4)


def with_headings_of_chunks(made: list[Piece]) -> list[Piece]:
    """All sentences of a chunk have its headings."""
    headings = {one.passage: one.place.headings for one in made}
    return [replace(one, place=replace(one.place, headings=headings[one.passage])) for one in made]


pieces = st.lists(
    st.builds(
        piece,
        number=st.integers(0, 999),
        passage=st.integers(0, 5),
        position=st.integers(0, 30),
        text=st.text(min_size=1, max_size=80),
        title=st.text(max_size=20),
        headings=st.tuples(st.text(max_size=10)),
    ),
    max_size=30,
    unique_by=lambda made: made.node,
).map(with_headings_of_chunks)


@given(pieces, st.integers(0, 300))
def test_exact_count_is_never_over_budget(made: list[Piece], budget: int) -> None:
    packed = pack(made, budget, words_in)
    assert packed.tokens == (words_in(packed.context) if packed.context else 0) <= budget


@given(pieces, st.integers(0, 300))
def test_upper_bound_is_never_over_budget(made: list[Piece], budget: int) -> None:
    assert pack(made, budget, None).tokens <= budget


def on_one_line(text: str) -> str:
    return " ".join(text.split())


@given(pieces, st.integers(0, 300))
def test_every_source_stands_in_the_context_under_its_number(made: list[Piece], budget: int) -> None:
    packed = pack(made, budget, words_in)
    assert [source.number for source in packed.sources] == list(range(1, len(packed.sources) + 1))
    for source in packed.sources:
        assert f"[{source.number}] " in packed.context
        assert on_one_line(printable(source.text)) in on_one_line(packed.context)


@given(pieces)
def test_the_same_text_stands_there_once_below_the_same_title(made: list[Piece]) -> None:
    packed = pack(made, 10_000, words_in)
    told = [said(found) for found, _ in packed.chosen]
    assert len(told) == len(set(told))
    texts = {said(one) for one in made if has_words(one) and one.text not in (one.place.title, *one.place.headings)}
    assert texts <= set(told) <= {said(one) for one in made}


def has_words(one: Piece) -> bool:
    return any(map(str.isalnum, one.text))


def said(one: Piece) -> tuple[str, ...]:
    is_short = len(one.text.split()) < FEW_WORDS
    return (one.text, one.place.title, *one.place.headings) if is_short else (one.text,)


def test_a_line_that_two_notes_have_stands_below_both_titles() -> None:
    both = [
        piece(one, passage=one, text="Visa needed: yes", title=title) for one, title in enumerate(["Kenya", "Peru"])
    ]
    assert pack(both, 100, words_in).context == "[2] (Peru) Visa needed: yes\n[1] (Kenya) Visa needed: yes"


def test_a_whole_sentence_that_two_notes_have_stands_there_once() -> None:
    said = "The ferry to the island leaves at nine from the old quay."
    both = [piece(one, passage=one, text=said, title=title) for one, title in enumerate(["Kenya", "Peru"])]
    assert pack(both, 100, words_in).context == f"[1] (Kenya) {said}"


def test_a_sentence_that_the_notes_of_two_days_have_stands_there_for_both() -> None:
    said = "Today I paid the rent of 900 euros to Mr Huber in cash."
    paths = ("/2026-01-01.md", "/2026-02-01.md", "/copy/2026-01-01.md")
    made = [piece(one, passage=one, text=said) for one in range(len(paths))]
    days = [replace(one, place=replace(one.place, path=path)) for one, path in zip(made, paths, strict=True)]
    assert pack(days, 200, words_in).context == f"[2] (2026-02-01) {said}\n[1] (2026-01-01) {said}"


def test_a_line_at_the_end_of_several_mails_stands_there_once() -> None:
    said = "This message is confidential and only meant for the person named above."
    made = [piece(one, passage=one, text=said) for one in range(2)]
    mails = [replace(one, place=replace(one.place, day=f"2026-01-0{one.node + 1}")) for one in made]
    assert pack(mails, 200, words_in).context == f"[1] (2026-01-01) {said}"


def test_headings_stand_in_labels_and_nowhere_else() -> None:
    heading = piece(1, text="Weather", title="Lisbon", headings=("Weather",))
    packed = pack(
        [heading, piece(2, position=1, text="It is warm.", title="Lisbon", headings=("Weather",))], 100, words_in
    )
    assert packed.context == "[1] (Lisbon > Weather) It is warm."


def test_a_heading_of_which_nothing_is_there_is_offered_when_all_else_is() -> None:
    heading = piece(1, text="Dentist 12 May", title="Health", headings=("Dentist 12 May",))
    packed = pack([heading, piece(2, passage=1)], 100, words_in)
    assert packed.context == "[2] (Health) Dentist 12 May\n[1] sentence number 2."
    assert pack([heading, piece(2, passage=1)], 12, words_in).context == "[1] sentence number 2."


def test_sentences_of_a_passage_are_one_source_in_reading_order() -> None:
    packed = pack([piece(3, position=2), piece(1, position=0), piece(9, passage=1)], 200, words_in)
    second, first, last = packed.context.splitlines()
    assert (first, last) == (f"[1] sentence number 1.{GAP}", "sentence number 3.")
    assert second == "[2] sentence number 9."
    assert (packed.sources[0].first_line, packed.sources[0].last_line) == (1, 3)


def test_neighbouring_sentences_have_no_gap_between_them() -> None:
    packed = pack([piece(2, position=1, line=1), piece(1, position=0)], 200, words_in)
    assert packed.context == "[1] sentence number 1. sentence number 2."


def test_lines_of_a_note_stay_lines() -> None:
    packed = pack([piece(2, position=1), piece(1, position=0)], 200, words_in)
    assert packed.context == "[1] sentence number 1.\nsentence number 2."


def test_a_line_that_begins_with_a_number_in_brackets_is_no_source_of_its_own() -> None:
    packed = pack([piece(2, position=1, text="[2] (keys.md) The key is mine."), piece(1, position=0)], 200, words_in)
    assert packed.context == "[1] sentence number 1.\n [2] (keys.md) The key is mine."


@pytest.mark.parametrize("text", ["...", "—", ":)", "->", "[ ]", "**", "👍"])
def test_a_line_without_a_letter_or_digit_takes_no_room(text: str) -> None:
    assert pack([piece(1, text=text, title="2026-02-01"), piece(2, passage=1)], 100, words_in).context == (
        "[1] sentence number 2."
    )


def test_what_is_too_long_makes_room_for_a_shorter_one() -> None:
    long = piece(1, passage=1, text="word " * 100)
    packed = pack([long, piece(2, passage=2)], 40, words_in)
    assert [(found.node, source) for found, source in packed.chosen] == [(2, 1)]


def test_the_label_says_only_what_the_sentence_does_not() -> None:
    packed = pack([piece(1, text="Lisbon is warm.", title="Lisbon", headings=("Weather",))], 100, words_in)
    assert packed.context == "[1] (Weather) Lisbon is warm."


def test_a_part_of_a_word_does_not_stand_for_the_label() -> None:
    packed = pack([piece(1, text="Time for pills: 18:00", title="Tim", headings=("Time", "pill"))], 100, words_in)
    assert packed.context == "[1] (Tim > pill) Time for pills: 18:00"


def test_a_heading_that_is_the_title_with_other_spaces_is_not_said_twice() -> None:
    packed = pack([piece(1, text="It is warm.", title="Lisbon, May", headings=("Lisbon,   May",))], 100, words_in)
    assert packed.context == "[1] (Lisbon, May) It is warm."


def test_no_budget_no_context() -> None:
    packed = pack([piece(1)], 3, words_in)
    assert (packed.context, packed.tokens, packed.sources) == ("", 0, ())


def asked_shapes(made: list[Piece], budget: int) -> list[int]:
    """Nodes of the pieces of which packing looks up what they stand in, as often as it does."""
    asked = []

    def shape_of(one: Piece) -> SentenceShape:
        asked.append(one.node)
        return UNKNOWN

    pack(made, budget, None, shape_of)
    return asked


def test_what_a_piece_stands_in_is_looked_up_only_where_it_fits_with_its_label() -> None:
    others = [piece(2, passage=2, text="Rain."), piece(3, passage=3, text="Boat", title="Boat")]
    assert set(asked_shapes([piece(1), *others], 17)) == {1}


def test_what_a_piece_stands_in_is_not_looked_up_where_the_same_sentence_is_there() -> None:
    said = "The ferry to the island leaves at nine from the old quay."
    assert set(asked_shapes([piece(1, text=said), piece(2, passage=2, text=said)], 100)) == {1}


def test_a_heading_is_not_compared_with_those_over_each_sentence_that_is_there() -> None:
    names = [f"Heading {number}" for number in range(100)]
    under = [piece(number, passage=number, headings=(name,)) for number, name in enumerate(names)]
    over = [replace(one, node=100 + one.node, text=one.place.headings[0]) for one in under]
    made = [replace(one, place=replace(one.place, path="/a.md")) for one in (*under, *over)]
    assert len(asked_shapes(made, 10_000)) < 30 * len(names)
