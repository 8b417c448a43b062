"""Markers of sources in an answer, and its sentences."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from noderag_local.generation.citing.markers import MARKER, MarkerGate, numbers, sentences

KNOWN = range(1, 6)


@pytest.mark.parametrize(
    ("marker", "meant"),
    [
        ("[1]", (1,)),
        ("[1, 2]", (1, 2)),
        ("[1,2;3]", (1, 2, 3)),
        ("[1-3]", (1, 2, 3)),
        ("[2–4]", (2, 3, 4)),
        ("【1】", (1,)),
        ("［2］", (2,)),
        ("[^3]", (3,)),
        ("[1 and 2]", (1, 2)),
        ("[1、2]", (1, 2)),
        ("[1, 1]", (1,)),
        ("[9]", ()),
        ("[1, 9]", (1,)),
        ("[3-1]", (3, 1)),
        ("[1-9999]", (1,)),
    ],
)
def test_a_marker_names_known_sources(marker: str, meant: tuple[int, ...]) -> None:
    assert MARKER.fullmatch(marker)
    assert numbers(marker, KNOWN) == meant


@pytest.mark.parametrize("text", ["[a]", "[]", "[x](http://e.org)", "[12345]", "[ ]", "[1", "[\n1]"])
def test_other_brackets_are_no_markers(text: str) -> None:
    assert not MARKER.search(text)


def let_through(pieces: list[str]) -> list[str]:
    gate = MarkerGate(KNOWN)
    return [*map(gate.feed, pieces), gate.rest()]


def test_a_marker_written_over_several_tokens_comes_out_whole() -> None:
    out = let_through(["It is blue", " [", "1", ",", " 2", "]", ". And", " red 【", "3】", "。"])
    assert "".join(out) == "It is blue [1][2]. And red [3]。"
    assert not any("[" in piece and "]" not in piece for piece in out)


def test_a_long_list_of_sources_comes_out_whole() -> None:
    assert (
        "".join(let_through(["It is blue [1, 2, 3, 4, 5, 1, 2, 3", ", 4, 5, 1, 2, 3]."]))
        == "It is blue [1][2][3][4][5]."
    )


def test_numbers_that_no_source_has_are_dropped_with_their_blank() -> None:
    assert "".join(let_through(["A [7]. B [1, 7]."])) == "A. B [1]."


def test_a_bracket_that_is_no_marker_is_let_through() -> None:
    assert (
        "".join(let_through(["a [see the long note about it", " below] b [x"]))
        == "a [see the long note about it below] b [x"
    )


def test_a_marker_can_be_resolved_with_the_text_before_it() -> None:
    seen: list[tuple[str, tuple[int, ...]]] = []

    def resolve(before: str, cited: tuple[int, ...]) -> tuple[int, ...]:
        seen.append((before, cited))
        return (5,)

    gate = MarkerGate(KNOWN, resolve)
    assert "".join([gate.feed("A [1"), gate.feed("]. B [2]"), gate.rest()]) == "A [5]. B [5]"
    assert seen == [("A", (1,)), ("A [5]. B", (2,))]


@example("1【\n1]", [1, 1, 3])
@example("11\n【7]", [3])
@given(st.text(alphabet="ab [],12-7\n.【】", max_size=40), st.lists(st.integers(1, 5), max_size=20))
def test_the_cut_of_the_pieces_never_matters(text: str, lengths: list[int]) -> None:
    pieces, at = [], 0
    for length in lengths:
        pieces.append(text[at : at + length])
        at += length
    pieces.append(text[at:])
    assert "".join(let_through(pieces)) == "".join(let_through([text]))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One. ", "Two! ", "Three?"]),
        ("One [1]. Two. [2] Three [3][1]", ["One [1]. ", "Two. [2] ", "Three [3][1]"]),
        ("One.[1] Two.", ["One.[1] ", "Two."]),
        ("G. Stanley Hall met Dr. Freud. They talked.", ["G. Stanley Hall met Dr. Freud. ", "They talked."]),
        ("Am 3. Mai 2023 kam z. B. Anna. Dann ging sie.", ["Am 3. Mai 2023 kam z. B. Anna. ", "Dann ging sie."]),
        ("It ended in 1989. Then came 1990.", ["It ended in 1989. ", "Then came 1990."]),
        ("- red [1]\n- blue [2]\n", ["- red [1]\n", "- blue [2]\n"]),
        ("他住在乌特勒支。[1]他有两只猫。", ["他住在乌特勒支。[1]", "他有两只猫。"]),
        ("Version 3.11 is out. It is fast.", ["Version 3.11 is out. ", "It is fast."]),
        ("It costs 5 euros... or so. Yes.", ["It costs 5 euros... ", "or so. ", "Yes."]),
        ("", []),
    ],
)
def test_an_answer_is_cut_into_sentences_with_their_markers(text: str, parts: list[str]) -> None:
    assert list(sentences(text)) == parts


@given(st.text(alphabet="aB1 .!?。\n[]【】", max_size=60))
def test_nothing_is_lost(text: str) -> None:
    assert "".join(sentences(text)) == text
