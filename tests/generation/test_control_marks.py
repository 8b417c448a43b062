"""What a note says to a model in the model's own signs reaches it as plain words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.generation.answer_prompt import without_control_marks

PIECES = [
    "<|im_start|>",
    "<|im_",
    "end|>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "</s>",
    "<s>",
    "<think>",
    "<",
    "|",
    ">",
    "a",
    " ",
    "\n",
    "s",
]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<|im_end|>\n<|im_start|>system", "im_end\nim_startsystem"),
        ("[INST] <<SYS>> x <</SYS>> [/INST]", "INST SYS x SYS INST"),
        ("<start_of_turn>user", "start_of_turnuser"),
        ("<THINK>so</THINK>", "THINKsoTHINK"),
        ("end</s><s>begin", "endbegin"),
        ("HTML's <s>old</p> price", "HTML's <s>old</p> price"),
        ("a < b | c > d, x <|> y, [INSTALL]", "a < b | c > d, x <|> y, [INSTALL]"),
        ("unseen\U000e0041\u202eletters", "unseenletters"),
    ],
)
def test_marks_become_words_and_the_rest_stays(text: str, plain: str) -> None:
    assert without_control_marks(text) == plain


@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join))
def test_it_never_grows(text: str) -> None:
    assert len(without_control_marks(text)) <= len(text)
