from __future__ import annotations

from noderag_local.generation.answer_prompt import compose, prime
from noderag_local.models.llm.scripted import ScriptedEngine


def test_what_is_read_is_what_every_answer_begins_with() -> None:
    engine = ScriptedEngine("NOT IN NOTES")
    prime(engine, 1300)
    answering = compose("[1] (a.md) The lease ends in May.", "Wann endet der Vertrag?", "de", 300)
    (request,) = engine.history
    assert request.messages[:-1] == answering.messages[:-1]
    assert request.max_tokens == 1300, "room for a context and its answer"
