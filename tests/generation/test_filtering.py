"""Looking through the sources first: groups, points, what the answer is then made from, and what it costs."""

from __future__ import annotations

import pytest

from noderag_local.domain.errors import ModelError
from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.answering import Answerer
from noderag_local.generation.filtering import GROUP_TOKENS, filtered
from noderag_local.models.llm.engine import Finish, Request
from noderag_local.models.llm.scripted import ScriptedEngine

QUESTION = "On which river was the Marlin built?"
TEXTS = (
    "The shop in Bern closes at six. It sells Assam and Keemun.",
    "The Marlin was built in Hull in 1931. It was sold to Ms Okafor.",
    "Hull lies on the Humber. " + "It rains there. " * 200,
)


def sources(*texts: str) -> tuple[Source, ...]:
    return tuple(
        Source(number, f"/notes/{number}.md", 0, "Boats", ("Hull",), 1, 2, 0, len(text), text)
        for number, text in enumerate(texts, start=1)
    )


def retrieval(is_filtered: bool = True) -> Retrieval:
    found = sources(*TEXTS)
    context = "\n".join(f"[{source.number}] {source.text}" for source in found)
    return Retrieval("arch", QUESTION, 1000, context, 900, found, (), (), 1.0, filtered=is_filtered)


def asked(request: Request) -> str:
    return request.messages[-1].content


def test_sources_are_looked_through_in_groups_that_a_small_model_can_hold() -> None:
    engine = ScriptedEngine("0", "0", strict=True)
    filtered(engine, sources(*TEXTS), QUESTION)
    first, second = engine.history
    assert "[1] The shop" in asked(first)
    assert "[2] The Marlin" in asked(first)
    assert "[3]" not in asked(first)
    assert "[3] Hull" in asked(second)
    assert engine.count_tokens(TEXTS[0] + TEXTS[1]) < GROUP_TOKENS < engine.count_tokens(TEXTS[2])
    assert first.messages[:-1] == second.messages[:-1]
    assert asked(first).index("The Marlin") < asked(first).index(QUESTION)


def test_points_come_best_last_under_the_numbers_of_their_sources() -> None:
    engine = ScriptedEngine(
        "[2] The Marlin was built in Hull in 1931. | 2\n[1] It sells Assam and Keemun. | 0\n[2] sold to Ms Okafor. | 1",
        "[3] Hull lies on the Humber. | 3",
        strict=True,
    )
    found = filtered(engine, sources(*TEXTS), QUESTION)
    assert found.context.splitlines() == [
        "[2] (Boats > Hull) The Marlin was built in Hull in 1931. … sold to Ms Okafor.",
        "[3] (Boats > Hull) Hull lies on the Humber.",
    ]
    assert found.llm_tokens > sum(map(engine.count_tokens, TEXTS))


def test_an_answer_is_made_from_the_points_and_cites_the_sources() -> None:
    engine = ScriptedEngine("0", "[3] Hull lies on the Humber. | 3", "On the Humber [3].")
    stream = Answerer(engine).stream(retrieval(), QUESTION)
    assert "".join(stream) == "On the Humber [3]."
    last = asked(engine.history[-1])
    assert "Hull lies on the Humber." in last
    assert "Assam" not in last
    assert stream.result.citations[0].numbers == (3,)
    assert stream.result.citations[0].supported
    assert stream.result.filter_tokens > GROUP_TOKENS


def test_where_nothing_is_chosen_the_answer_is_made_from_all_sources() -> None:
    engine = ScriptedEngine("0", "0", "NOT IN NOTES")
    stream = Answerer(engine).stream(retrieval(), QUESTION)
    assert "".join(stream) == "Your notes do not tell."
    assert "Assam" in asked(engine.history[-1])


def test_other_methods_are_answered_from_their_context_in_one_call() -> None:
    engine = ScriptedEngine("On the Humber [3].")
    stream = Answerer(engine).stream(retrieval(is_filtered=False), QUESTION)
    assert "".join(stream)
    assert len(engine.history) == 1
    assert stream.result.filter_tokens == 0


def test_a_short_answer_is_made_from_the_points_too() -> None:
    engine = ScriptedEngine("0", "[3] Hull lies on the Humber. | 3", "the Humber")
    stream = Answerer(engine).stream(retrieval(), QUESTION, short=True)
    assert "".join(stream) == "the Humber"
    assert "Assam" not in asked(engine.history[-1])


def test_braces_in_notes_stay_what_they_are() -> None:
    engine = ScriptedEngine("0")
    filtered(engine, sources("use {question} and {x!r}"), QUESTION)
    assert "use {question} and {x!r}" in asked(engine.history[0])


def test_a_stopped_filter_ends_the_answer() -> None:
    stream = Answerer(ScriptedEngine("0", "0", "On the Humber.")).stream(retrieval(), QUESTION, cancelled=lambda: True)
    assert "".join(stream) == ""
    assert stream.result.finish is Finish.CANCELLED


def test_errors_of_the_engine_come_through() -> None:
    engine = ScriptedEngine("0")
    engine.enqueue(ModelError("broken"))
    with pytest.raises(ModelError, match="broken"):
        list(Answerer(engine).stream(retrieval(), QUESTION))
