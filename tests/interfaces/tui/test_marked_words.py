"""Words that were searched for, marked in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from noderag_local.interfaces.tui.shared.marked_words import marked, marked_spans


@pytest.mark.parametrize(
    ("text", "words", "parts"),
    [
        ("Porto and the airport", ["port"], ["Port"]),
        ("Pórto, PORTO", ["porto"], ["Pórto", "PORTO"]),
        ("Cafe\u0301 Zoe\u0308", ["café", "zoë"], ["Cafe", "Zoe"]),
        ("die Straße", ["strasse"], ["Straße"]),
        ("東京の家の契約", ["契約", "家"], ["家", "契約"]),
        ("portport port", ["port", "portport"], ["portport", "port"]),
        ("nothing", ["", " "], []),
        ("", ["x"], []),
    ],
)
def test_what_is_marked(text: str, words: list[str], parts: list[str]) -> None:
    assert [text[start:end] for start, end in marked_spans(text, words)] == parts


@given(st.text(max_size=30), st.lists(st.text(max_size=5), max_size=3))
def test_places_lie_in_the_text_in_order_and_apart(text: str, words: list[str]) -> None:
    ends = [place for span in marked_spans(text, words) for place in span]
    assert ends == sorted(ends)
    assert not ends or (ends[0] >= 0 and ends[-1] <= len(text))


@given(st.text(max_size=30), st.text(max_size=5))
def test_marking_changes_no_letter(text: str, word: str) -> None:
    assert marked(Content(text), [word]).plain == Content(text).plain
