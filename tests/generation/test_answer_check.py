"""The model checks an answer against the passage that is nearest to it."""

from __future__ import annotations

from noderag_local.domain.passages import Source
from noderag_local.generation.answer_check import AnswerCheck, nearest_passage
from noderag_local.generation.sentence_windows import WINDOW_LETTERS
from noderag_local.models.llm.scripted import ScriptedEngine


def source(number: int, title: str, text: str) -> Source:
    return Source(number, f"/notes/{title}.md", 0, title, (), 1, 1, 0, len(text), text)


SOURCES = (
    source(1, "Lena Brückner", "Wohnt in Kassel. Hat eine Schwester, Mona. Verträgt keine Erdnüsse. Fährt Rad."),
    source(2, "Kürbissuppe", "Von Tante Gerda. Zwei Zwiebeln."),
)


def test_the_passage_is_the_sentence_with_most_words_and_its_neighbours() -> None:
    found = nearest_passage("Was verträgt Lena nicht? Lena verträgt keine Erdnüsse.", SOURCES)
    assert found.number == 1
    assert found.text == "Lena Brückner: Hat eine Schwester, Mona. Verträgt keine Erdnüsse. Fährt Rad."
    long = source(3, "", f"{'a ' * WINDOW_LETTERS}. Erdnüsse. {'b ' * WINDOW_LETTERS}.")
    cut = nearest_passage("Erdnüsse", [long]).text
    assert "Erdnüsse" in cut and len(cut) <= WINDOW_LETTERS


def test_yes_is_above_and_no_below_zero() -> None:
    engine = ScriptedEngine("yes", "no")
    check = AnswerCheck(engine, "Was verträgt Lena nicht?", SOURCES)
    yes, no = check.score("Erdnüsse [1].", [1]), check.score("Zwiebeln [2].", [2])
    assert yes is not None and no is not None and yes > 0 > no
    first, second = (request.messages[-1].content for request in engine.history)
    assert "Verträgt keine Erdnüsse" in first and "[1]" not in first
    assert "Zwei Zwiebeln" in second
    assert check.worked_tokens > 0


def test_an_answer_that_cites_nothing_is_held_against_all_sources() -> None:
    engine = ScriptedEngine("yes")
    AnswerCheck(engine, "Wie viele Zwiebeln?", SOURCES).score("Zwei Zwiebeln.", [])
    assert "Kürbissuppe: Von Tante Gerda." in engine.history[0].messages[-1].content


def test_nothing_is_said_when_it_was_stopped() -> None:
    assert AnswerCheck(ScriptedEngine(), "Wo?", SOURCES, lambda: True).score("Kassel [1].", [1]) is None
