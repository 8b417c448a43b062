"""Questions behind questions: how they are split, when a split is taken, and how the parts lead to the answer."""

from __future__ import annotations

import pytest

from noderag_local.answer.abstention import SIGN
from noderag_local.answer.answer import Answerer
from noderag_local.answer.steps import Step, found_on_the_way, may_be_nested, parsed, usable, with_answers
from noderag_local.llm.engine import Role
from noderag_local.llm.prompt_files import turns
from noderag_local.llm.scripted import ScriptedEngine
from noderag_local.records import Retrieval, Source

QUESTION = "In which year was the owner of the Marlin's shipyard founded?"
SPLIT = "1. Which is the Marlin's shipyard?\n2. Who is the owner of #1?\n3. In which year was #2 founded?"
CONTEXT = "[1] The Marlin was built by Hull Docks.\n[2] Hull Docks belongs to Baltic Media, founded in 1979."


@pytest.fixture
def retrieved() -> Retrieval:
    texts = [line[4:] for line in CONTEXT.splitlines()]
    sources = tuple(
        Source(number, f"/notes/{number}.md", 0, "", (), 1, 2, 0, len(text), text)
        for number, text in enumerate(texts, start=1)
    )
    return Retrieval("test", QUESTION, 1000, CONTEXT, 30, sources, (), (), 1.0)


@pytest.mark.parametrize(
    ("question", "nested"),
    [
        ("When does the lease end?", False),
        ("Wo wohnt Anna?", False),
        ("What did Jonas and Marta say about the roses last summer?", False),
        ("Who is the brother of the woman who keeps my disk?", True),
        ("Wer leitet die Firma, bei der Annas Schwester arbeitet?", True),
    ],
)
def test_short_questions_and_plain_ones_ask_for_one_fact(question: str, nested: bool) -> None:
    assert may_be_nested(question) is nested


def test_a_split_is_its_questions_in_order() -> None:
    assert parsed(SPLIT, QUESTION) == (
        "Which is the Marlin's shipyard?",
        "Who is the owner of #1?",
        "In which year was #2 founded?",
    )


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (f"1. {QUESTION}", "one question alone"),
        (
            "1. Which is the Marlin's shipyard?\n2. In which year was the owner founded?",
            "the second does not use the first",
        ),
        ("1. Which is the Marlin's shipyard?\n2. Who owns #2?", "it refers to itself"),
        ("1. Who owns #1?\n2. In which year was #1 founded?", "the first refers to something"),
        ("1. Which is the Marlin's shipyard?\n2. Who is the owner of #1\n", "a line that is no question"),
        ("Sure! Here they are:\n1. Which is the shipyard?\n2. Who owns #1?", "chatter"),
        ("1. Which is the shipyard of the Titanic?\n2. Who is the owner of #1?", "a name that nobody asked about"),
        ("1. Which is the Marlin's shipyard?\n2. Was #1 founded in 1912?", "a number that nobody asked about"),
        ("\n".join([SPLIT, "4. Who is #3?", "5. Where is #4?"]), "too many"),
        ("", "nothing"),
    ],
)
def test_a_split_that_does_not_lead_to_the_answer_is_none(written: str, why: str) -> None:
    assert parsed(written, QUESTION) == (), why


def test_answers_stand_in_the_next_question() -> None:
    steps = [Step("Which is the shipyard?", "Hull Docks"), Step("Who owns Hull Docks?", "Baltic Media")]
    assert with_answers("Did #2 sell #1?", steps) == "Did Baltic Media sell Hull Docks?"


@pytest.mark.parametrize(
    ("answer", "as_used"),
    [(" Hull Docks. ", "Hull Docks"), ("Hull Docks [1]", "Hull Docks"), (SIGN, ""), ("x" * 81, ""), ("", "")],
)
def test_only_a_phrase_is_put_into_the_next_question(answer: str, as_used: str) -> None:
    assert usable(answer) == as_used


def test_each_part_is_asked_of_the_same_sources_in_one_conversation() -> None:
    engine, told = ScriptedEngine(SPLIT, "Hull Docks", "Baltic Media [2]."), []
    found = found_on_the_way(engine, CONTEXT, QUESTION, short=True, told=told.append)
    assert [step.answer for step in found.steps] == ["Hull Docks", "Baltic Media"]
    assert found.question == "In which year was Baltic Media founded?"
    assert told == [step.question for step in found.steps]
    assert told[1] == "Who is the owner of Hull Docks?"
    first, second = (request.messages for request in engine.history[1:3])
    assert second[: len(first)] == first, "so that the model reads the sources once"
    assert sum(CONTEXT in message.content for message in second) == 1
    assert found.llm_tokens > 0


def test_a_part_without_an_answer_ends_it() -> None:
    engine = ScriptedEngine(SPLIT, "Hull Docks", SIGN)
    found = found_on_the_way(engine, CONTEXT, QUESTION, short=False)
    assert (found.steps, found.question) == ((), QUESTION)


def test_stopped_there_are_no_steps() -> None:
    engine = ScriptedEngine(SPLIT)
    assert found_on_the_way(engine, CONTEXT, QUESTION, short=True, cancelled=lambda: True).steps == ()


def test_the_last_part_is_what_is_answered(retrieved: Retrieval) -> None:
    engine = ScriptedEngine(SPLIT, "Hull Docks", "Baltic Media", "Baltic Media was founded in 1979 [2].")
    stream = Answerer(engine).stream(retrieved, QUESTION)
    assert "".join(stream) == "Baltic Media was founded in 1979 [2]."
    last = engine.history[-1].messages
    assert "In which year was Baltic Media founded?" in last[-1].content
    assert [message.content for message in last if message.role is Role.ASSISTANT][-2:] == [
        "Hull Docks",
        "Baltic Media",
    ]
    assert [step.answer for step in stream.answer.steps] == ["Hull Docks", "Baltic Media"]
    assert stream.answer.segments[0].supported
    assert stream.answer.preparing_tokens > 0


def test_a_question_that_cannot_be_split_is_asked_as_it_is(retrieved: Retrieval) -> None:
    engine = ScriptedEngine(f"1. {QUESTION}", "In 1979 [2].")
    stream = Answerer(engine).stream(retrieved, QUESTION)
    assert "".join(stream) == "In 1979 [2]."
    assert stream.answer.steps == ()


def test_it_can_be_switched_off(retrieved: Retrieval) -> None:
    engine = ScriptedEngine("In 1979 [2].")
    stream = Answerer(engine, step_by_step=False).stream(retrieved, QUESTION)
    assert "".join(stream) == "In 1979 [2]."
    assert len(engine.history) == 1


def test_the_shown_splits_are_such_as_are_taken() -> None:
    shown = turns("answer", "split")[1:]
    for asked, answered in zip(shown[::2], shown[1::2], strict=True):
        lines = answered.content.splitlines()
        assert parsed(answered.content, asked.content) or len(lines) == 1
        assert len(lines) > 1 or lines == [f"1. {asked.content}"]
