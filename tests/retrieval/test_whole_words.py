"""A label is left out only where the sentence says it in whole words."""

from __future__ import annotations

import pytest

from noderag_local.retrieval.packing.whole_words import says


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Call Tim at six.", "Tim"),
        ("Timber for Tim", "Tim"),
        ("I write C++.", "C++"),
        ("Ada: Good!", "Ada:"),
        ("我们去东京旅行。", "东京"),
        ("小明：hello", "小明："),
        ("Tasks:done", "Tasks:"),
        ("C++17 is new", "C++"),
        ("the file x.gitignore", ".gitignore"),
        ("東京tripは楽しい", "東京"),
    ],
)
def test_whole_words_are_said(text: str, name: str) -> None:
    assert says(text, name)


@pytest.mark.parametrize(
    ("text", "name"), [("Time for his pills is 18:00", "Tim"), ("Sometime in May", "time"), ("Note 2026", "Note 20")]
)
def test_a_part_of_a_word_is_not_said(text: str, name: str) -> None:
    assert not says(text, name)
