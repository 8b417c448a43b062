"""What counts as nonsense: words that neither the notes nor the embedding model know, and no sentence near them."""

from __future__ import annotations

import pytest

from noderag_local.retrieval.default.nonsense import NEAR, is_near_in_meaning


@pytest.mark.parametrize("words", [("qwertzuiop",), ("blorfing", "grumpf")])
def test_words_that_nobody_knows_lead_nowhere(words: tuple[str, ...]) -> None:
    assert not is_near_in_meaning(words, NEAR - 0.01)


def test_a_near_sentence_is_enough() -> None:
    assert is_near_in_meaning(("qwertzuiop",), NEAR)


@pytest.mark.parametrize("words", [("pet",), ("qwertzuiop", "music"), ()])
def test_one_word_that_the_model_knows_is_enough(words: tuple[str, ...]) -> None:
    assert is_near_in_meaning(words, -0.5)


@pytest.mark.parametrize("word", ["x" * 20_000, "\ud800\ud800"])
def test_what_the_tokenizer_gives_up_on_counts_as_known(word: str) -> None:
    assert is_near_in_meaning((word,), 0.0)
