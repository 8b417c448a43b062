from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.graph.summaries.grounding import SummarySources, grounded, whole_sentences

NOTES = [
    "Ada Lovelace",
    "Ada Lovelace was born in London in 1815.",
    "She worked with Charles Babbage on the Analytical Engine, a machine that was never finished.",
]


@pytest.mark.parametrize(
    "sentence",
    [
        "Ada Lovelace, born in London in 1815, worked with Charles Babbage.",
        "Lovelace was working on the unfinished Analytical Engine of Babbage.",
        "Babbage's machine was never finished.",
    ],
)
def test_what_the_notes_say_in_other_forms_is_carried(sentence: str) -> None:
    assert SummarySources(NOTES).carry(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Ada Lovelace was born in 1816.",
        "Ada Lovelace was born in Paris.",
        "Ada Lovelace was the greatest poet and painter of her century.",
        "",
        "It is.",
        "Ada Lovelace 出生 in London in 1815.",
    ],
)
def test_other_numbers_names_and_tales_are_not(sentence: str) -> None:
    assert not SummarySources(NOTES).carry(sentence)


def test_only_the_carried_sentences_stay() -> None:
    text = "Ada Lovelace was born in London. She died in Marylebone in 1852. She worked with Charles Babbage."
    assert (
        grounded(text, SummarySources(NOTES), 60) == "Ada Lovelace was born in London. She worked with Charles Babbage."
    )
    assert grounded(text, SummarySources(NOTES), 8) == "Ada Lovelace was born in London."
    assert grounded("She died in 1852.", SummarySources(NOTES), 60) == ""


def test_a_sentence_that_was_cut_off_goes_and_initials_end_none() -> None:
    assert list(whole_sentences("J. R. R. Tolkien wrote. He was a prof")) == ["J. R. R. Tolkien wrote."]
    assert list(whole_sentences("only one without an end")) == ["only one without an end"]


@given(st.lists(st.sampled_from(NOTES[1:]), min_size=1, max_size=4))
def test_the_notes_carry_themselves(sentences: list[str]) -> None:
    assert grounded(" ".join(sentences), SummarySources(NOTES), 200) == " ".join(dict.fromkeys(sentences))
