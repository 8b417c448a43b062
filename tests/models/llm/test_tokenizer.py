"""Counting by words, with a vocabulary that can be reckoned by hand."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from noderag_local.models.llm.llamacpp.tokenizer import WordCounts


class Rules:
    """Cuts as the rules of byte pair encoding do; a token is up to three characters of one part."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        self.asked.append(text)
        parts = re.findall(r" ?\w+| ?[^\s\w]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+", text)
        assert "".join(parts) == text
        return sum(-(-len(part) // 3) for part in parts)


@given(st.text(alphabet="abé1 .,\n\t\u00a0\u2003[]", max_size=60))
def test_a_text_has_as_many_tokens_as_in_one_piece(text: str) -> None:
    assert WordCounts(Rules().count).count(text) == Rules().count(text)


def test_a_word_is_asked_for_once() -> None:
    rules = Rules()
    counts = WordCounts(rules.count)
    assert counts.count("to be or not to be") == counts.count("to be or not to be") == 7
    assert rules.asked == ["to", " be", " or", " not", " to", "to"]


def test_runs_of_blanks_stay_with_their_words() -> None:
    rules = Rules()
    WordCounts(rules.count).count("one  two three\n four")
    assert rules.asked == ["one  two", " three\n four"]
