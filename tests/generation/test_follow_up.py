from __future__ import annotations

import pytest

from noderag_local.generation.answer_prompt import compose
from noderag_local.generation.follow_up import REWRITE_TOKENS, Exchange, leans, stand_alone
from noderag_local.models.llm.scripted import ScriptedEngine

SAID = [Exchange("Who is Marta Oliveira?", "Marta Oliveira is a translator in Porto who keeps two cats [1].")]


@pytest.mark.parametrize(
    "question",
    [
        "Where does she live?",
        "And when does the lease end?",
        "What about Jonas?",
        "Why?",
        "Is it far from there?",
        "How much was that?",
        "Did I say when he arrives?",
        "Wo wohnt sie?",
        "Und wann endet der Vertrag?",
        "Was kostet das Zimmer dort?",
        "Où habite-t-elle ? Que fait elle ?",
        "¿Dónde vive ella?",
        "她住在哪里？",
    ],
)
def test_a_question_that_needs_what_was_said_before_leans(question: str) -> None:
    assert leans(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which of my friends cannot eat the tapas that I planned?",
        "When does the lease end?",
        "When did Marta say that she would come?",
        "Wann endet der Mietvertrag?",
        "Haben Sie einen Hinweis auf den Mietvertrag?",
        "Gibt es einen Keller im Haus?",
        "Is there a cellar in the house?",
        "What is planned for Porto in May?",
        "Quand finit le bail de la maison ?",
    ],
)
def test_a_question_that_stands_alone_costs_no_model_call(question: str) -> None:
    assert not leans(question)


def test_the_model_puts_the_name_in() -> None:
    engine = ScriptedEngine("Where does Marta Oliveira live?\nAnd more that nobody asked for")
    assert stand_alone(engine, "Where does she live?", SAID) == "Where does Marta Oliveira live?"


@pytest.mark.parametrize(
    "written",
    [
        "",
        "NOT IN NOTES",
        "Where does Angela Merkel live?",
        "Where did Marta Oliveira live in 1997?",
        "Marta Oliveira is a translator in Porto.",
        "Which programming language and database should be used for accounting?",
    ],
)
def test_a_writing_that_cannot_be_trusted_leaves_the_question_with_what_was_talked_of(written: str) -> None:
    asked = stand_alone(ScriptedEngine(written), "Where does she live?", SAID)
    assert asked == "Where does she live? (Marta Oliveira, Porto)"


def test_the_question_itself_is_no_help() -> None:
    said = [Exchange("Who wrote The Cartographer's Winter?", "It was written by Inês Valadares in 2011 [2].")]
    asked = stand_alone(ScriptedEngine("what else did she write?"), "What else did she write?", said)
    assert asked == "What else did she write? (Inês Valadares, Cartographer Winter)"


def test_where_nothing_was_named_the_question_stays() -> None:
    said = [Exchange("how long is it?", "It is nine metres long [1].")]
    assert stand_alone(ScriptedEngine("NOT IN NOTES"), "And how wide?", said) == "And how wide?"


def test_a_question_that_was_shouted_is_calmed_down() -> None:
    engine = ScriptedEngine("WHERE DOES MARTA OLIVEIRA LIVE?")
    assert stand_alone(engine, "Where does she live?", SAID) == "Where does Marta Oliveira live?"


def test_markers_and_escape_sequences_do_not_come_through() -> None:
    engine = ScriptedEngine("Where does \x1b[31mMarta Oliveira live [1]?")
    assert "\x1b" not in stand_alone(engine, "Where does she live?", SAID)
    assert stand_alone(ScriptedEngine("Where does Marta live [1]?"), "Where does she live?", SAID).count("[") == 0


def test_a_writing_that_was_cut_or_stopped_is_not_taken() -> None:
    endless = ScriptedEngine("Where does Marta Oliveira live " + "and live " * REWRITE_TOKENS + "?")
    assert stand_alone(endless, "Where does she live?", SAID) == "Where does she live? (Marta Oliveira, Porto)"
    stopped = ScriptedEngine("Where does Marta Oliveira live?")
    assert stand_alone(stopped, "Where does she live?", SAID, lambda: True) == "Where does she live?"


def test_only_the_latest_of_a_long_conversation_is_read() -> None:
    engine = ScriptedEngine("Where does Marta Oliveira live?")
    earlier = [Exchange(f"Question {number}?", "word " * 1000) for number in range(9)]
    stand_alone(engine, "Where does she live?", [*earlier, *SAID])
    asked = engine.history[0].messages[-1].content
    assert "Question 8?" in asked and "Question 6?" not in asked
    assert len(asked) < 2500


def test_it_begins_as_an_answer_does_so_that_the_model_keeps_what_it_has_read() -> None:
    engine = ScriptedEngine("Where does Marta Oliveira live?")
    stand_alone(engine, "Where does she live?", SAID)
    answering = compose("[1] a source", "Where does Marta Oliveira live?", "en", 300)
    assert engine.history[0].messages[:-1] == answering.messages[:-1]
