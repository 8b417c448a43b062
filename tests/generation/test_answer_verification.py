"""Answers that are held back: told of another speaker, or after a value was changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.answer_check import AnswerCheck
from noderag_local.generation.answer_verification import OUTDATED, SAID_OF_OTHERS, AnswerVerifier, Doubt
from noderag_local.generation.answering import Answer, Answerer
from noderag_local.generation.citing.citations import Evidence, annotate
from noderag_local.generation.citing.value_changes import asks_for_present, outdated, value_changes
from noderag_local.models.llm.engine import never
from noderag_local.models.llm.scripted import ScriptedEngine

SAID = (
    ("Lena", "Lena: Good to hear you, Omar!"),
    ("Omar", "I painted a lake at sunrise last year."),
    ("Omar", "Our dog Biscuit sleeps on the sofa."),
    ("Lena", "You would make a fine teacher."),
    ("Lena", "I bought a violin in Leeds."),
)


def conversation() -> Source:
    """A conversation of Lena and Omar, with a sentence on each line."""
    text = "\n".join(sentence for _, sentence in SAID)
    starts = [text.index(sentence) for _, sentence in SAID]
    turns = tuple(zip(starts, (name for name, _ in SAID), strict=True))
    return Source(1, "/notes/talk.md", 0, "Lena and Omar", (), 1, 5, 0, len(text), text, turns=turns)


def source(text: str) -> Source:
    return Source(1, "/notes/stations.md", 0, "Stations", (), 1, 1, 0, len(text), text)


def ask(reply: str, question: str, found: Source) -> Answer:
    retrieval = Retrieval("test", question, 1000, f"[1] {found.text}", 50, (found,), (), (), 1.0)
    stream = Answerer(ScriptedEngine(reply)).stream(retrieval, question)
    shown = "".join(stream)
    assert shown == stream.result.text
    return stream.result


@pytest.mark.parametrize(
    ("answer", "supported"),
    [
        ("Omar painted a lake at sunrise.", True),
        ("Lena painted a lake at sunrise.", False),
        ("Lena's dog Biscuit sleeps on the sofa.", False),
        ("Omar's dog Biscuit sleeps on the sofa.", True),
        ("Omar would make a fine teacher.", True),
        ("Lena would make a fine teacher.", False),
        ("Omar bought a violin in Leeds.", False),
        ("Lena bought a violin in Leeds.", True),
    ],
)
def test_i_is_who_speaks_and_you_is_who_is_spoken_to(answer: str, supported: bool) -> None:
    assert [one.supported for one in annotate(f"{answer} [1]", [conversation()])] == [supported]


def test_an_answer_without_a_name_is_about_whom_the_question_names() -> None:
    said = "She painted a lake at sunrise. [1]"
    assert not annotate(said, [conversation()], "What did Lena paint?")[0].supported
    assert annotate(said, [conversation()], "What did Omar paint?")[0].supported


def test_what_another_speaker_says_of_themselves_is_not_told() -> None:
    answer = ask("Lena painted a lake at sunrise [1].", "What did Lena paint?", conversation())
    assert (answer.text, answer.abstained) == ("Your notes do not tell.", True)
    assert answer.note == SAID_OF_OTHERS.format(marks="[1]")


def test_what_the_speaker_says_of_themselves_is_told() -> None:
    answer = ask("Omar painted a lake at sunrise [1].", "What did Omar paint?", conversation())
    assert (answer.text, answer.abstained, answer.note) == ("Omar painted a lake at sunrise [1].", False, "")


def test_outside_a_conversation_i_may_be_anybody() -> None:
    note = replace(conversation(), turns=())
    assert not ask("Lena painted a lake at sunrise [1].", "What did Lena paint?", note).abstained


CHANGED = "Limit changed from 62 to 58 dB after 6 pm."


@pytest.mark.parametrize(
    ("sentence", "old", "new"),
    [
        (CHANGED, "62", "58"),
        ("9 stations (was 12 until June)", "12", "9"),
        ("Die Miete wurde von 900 auf 950 Euro erhöht.", "900", "950"),
        ("Le loyer est passé de 700 à 730 euros.", "700", "730"),
        ("El alquiler subió de 600 a 650 euros.", "600", "650"),
        ("12 -> 9 stations", "12", "9"),
        ("Training moved 18:00 → 19:30", "18:00", "19:30"),
        ("Moved the opening from 5 September to 24 April.", "5", "24"),
    ],
)
def test_a_replaced_value_is_found(sentence: str, old: str, new: str) -> None:
    (change,) = value_changes([source(sentence)])
    assert (change.old, change.new) == ({old}, new)


@pytest.mark.parametrize(
    "sentence",
    [
        "Open from 9 to 17 on weekdays.",
        "Chapters 3 to 5.",
        "A cute cat sleeps from 10 to 12.",
        "9 stations (12 in June)",
        "Train Graz 8:05 → Wien 10:40.",
        "Train 8:05 -> 10:40",
        "The opening hours have changed: now open from 9 to 17",
        "Der Kurs wurde verlegt, er geht jetzt von 10 bis 12 Uhr.",
        "The course moved online and runs from 10 to 12 March.",
    ],
)
def test_a_range_is_no_change(sentence: str) -> None:
    assert list(value_changes([source(sentence)])) == []


def test_an_old_value_gives_way_to_the_sentence_about_the_change() -> None:
    answer = ask("The limit after 6 pm is 62 dB [1].", "What is the limit after 6 pm?", source(CHANGED))
    assert (answer.text, answer.abstained, answer.note) == (f"{CHANGED} [1]", False, OUTDATED)
    assert [one.supported for one in answer.citations] == [True]


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("The limit after 6 pm is 58 dB [1].", "What is the limit after 6 pm?"),
        ("The limit was 62 dB [1].", "What is the limit after 6 pm?"),
        ("The limit is 62 dB [1].", "What was the limit before?"),
        ("There are 62 lamps [1].", "How many lamps are there?"),
    ],
)
def test_other_answers_stay(reply: str, question: str) -> None:
    assert ask(reply, question, source(CHANGED)).text == reply


def test_old_and_new_value_together_are_no_old_value() -> None:
    assert outdated("It went from 62 to 58 dB.", list(value_changes([source(CHANGED)]))) is None
    assert asks_for_present("What is the limit?")
    assert not asks_for_present("Wie hoch war die Miete vorher?")


@pytest.mark.parametrize(
    ("answer", "supported"),
    [("3 December 2027", False), ("3 December 2026", True), ("3 December 2025", True), ("3 December", True)],
)
def test_a_year_that_cannot_be_meant_is_invented(answer: str, supported: bool) -> None:
    note = replace(
        source("Next appointment with Defne 3 December 16:15."), path="/notes/2026-11-16.md", title="2026-11-16"
    )
    said = f"The next appointment with Defne is on {answer} at 16:15 [1]."
    assert [one.supported for one in annotate(said, [note])] == [supported]


@pytest.mark.parametrize(
    "answer", ["Ada takes slippers.", "The size of Ada's slippers is the size that Ada takes [1]."]
)
def test_where_there_is_doubt_the_words_of_the_question_are_no_answer(answer: str) -> None:
    question, found = "What size of slippers does Ada take?", source("Ada works as a vet in Graz.")
    engine = ScriptedEngine()
    check = AnswerCheck(engine, question, [found], never)
    verifier = AnswerVerifier(question, [found], Evidence([found], question), check, Doubt(frozenset({1})))
    rejected = verifier.rejection(answer)
    assert rejected is not None and rejected.sentence == ""
    assert engine.history == []


@pytest.mark.parametrize(("check", "is_shown"), [("yes", True), ("no", False)])
def test_words_of_a_small_model_that_no_source_has_are_checked(check: str, is_shown: bool) -> None:
    found = source("The kiosk by the pier closes at six.")
    retrieval = Retrieval("test", "", 1000, f"[1] {found.text}", 50, (found,), (), (), 1.0)
    engine = ScriptedEngine("Ferries leave hourly from Bergen.", check, is_small=True)
    answer = Answerer(engine).stream(retrieval, "Tell me about ferries").finish()
    assert answer.abstained is not is_shown
    assert len(engine.history) == 2


def test_words_of_a_small_model_that_a_source_has_are_shown_unchecked() -> None:
    found = source("The kiosk by the pier closes at six.")
    retrieval = Retrieval("test", "", 1000, f"[1] {found.text}", 50, (found,), (), (), 1.0)
    engine = ScriptedEngine("The kiosk by the pier closes at six [1].", is_small=True)
    assert not Answerer(engine).stream(retrieval, "Tell me about the kiosk").finish().abstained
    assert len(engine.history) == 1
