"""Answers from what a model knows by itself."""

from __future__ import annotations

import pytest

from noderag_local.domain.errors import ModelMissing
from noderag_local.domain.passages import Retrieval
from noderag_local.generation.answer_prompt import FROM_MEMORY
from noderag_local.generation.answering import Answerer
from noderag_local.models.llm.scripted import ScriptedEngine

NOTHING = Retrieval("zero-shot", "q", 1000, "", 0, (), (), (), 0.0, without_notes=True)


def test_the_model_is_asked_without_notes_and_nothing_is_cited() -> None:
    engine = ScriptedEngine("Paris is the capital of France [1].")
    stream = Answerer(engine).stream(NOTHING, "What is the capital of France?")
    assert "".join(stream) == "Paris is the capital of France."
    assert "Sources" not in "".join(message.content for message in engine.history[0].messages)
    assert stream.result.note == FROM_MEMORY
    assert not any(one.numbers or one.supported for one in stream.result.citations)
    assert not stream.result.abstained


def test_a_short_answer_is_a_phrase() -> None:
    engine = ScriptedEngine("Paris\nand more")
    stream = Answerer(engine).stream(NOTHING, "What is the capital of France?", short=True)
    assert "".join(stream) == "Paris"
    assert (stream.result.citations, stream.result.note) == ((), "")
    assert engine.history[0].max_tokens < 50


def test_without_a_model_nobody_answers() -> None:
    with pytest.raises(ModelMissing, match=r"zero-shot.*noderag models get"):
        Answerer(None).stream(NOTHING, "What is the capital of France?")
