"""Counting by words with a real vocabulary, against its own list of tokens of the whole text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.models.llm.llamacpp.llama_native import Model
from noderag_local.models.llm.llamacpp.tokenizer import Vocabulary

words = st.one_of(
    st.sampled_from(
        [
            "the",
            "Ludwig",
            "don't",
            "1867.",
            "(b.",
            "…",
            "[2]",
            "東京",
            "naïve",
            "<tool_call>",
            "<|im_end|>",
            "[/INST]",
            "e\u0301",
        ]
    ),
    st.text(max_size=8),
)
joints = st.sampled_from([" ", " ", " … ", "\n", "\n[3] (", "  ", " \n", "\t", "\u00a0", "\u2003", "\x1c"])


@pytest.fixture(scope="module")
def vocabulary(model_file: Path) -> Vocabulary:
    return Vocabulary(Model(model_file, vocab_only=True))


@settings(deadline=None, max_examples=500)
@given(st.lists(st.tuples(words, joints), max_size=12))
def test_a_text_has_as_many_tokens_as_in_one_piece(vocabulary: Vocabulary, parts: list[tuple[str, str]]) -> None:
    text = "".join(word + joint for word, joint in parts)
    assert vocabulary.count(text) == len(vocabulary.tokens(text))


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=200))
def test_so_has_any_other(vocabulary: Vocabulary, text: str) -> None:
    assert vocabulary.count(text) == len(vocabulary.tokens(text))
