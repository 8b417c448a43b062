"""A small model that writes that the notes do not tell is asked again, and a check decides."""

from __future__ import annotations

import pytest

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.abstention import SIGN, sentence
from noderag_local.generation.answering import Answer, Answerer
from noderag_local.generation.second_try import QUOTED, SECOND
from noderag_local.generation.span_answer import Bounds
from noderag_local.models.llm.scripted import ScriptedEngine

BREE = "Celiac, a real one. Separate toaster!"
QUESTION = "Why does Bree need a separate toaster?"


def retrieval(text: str = BREE) -> Retrieval:
    source = Source(1, "/notes/Bree.md", 0, "Bree", (), 1, 2, 0, len(text), text)
    return Retrieval("test", QUESTION, 1000, f"[1] (Bree) {text}", 50, (source,), (), (), 1.0)


def answer_of(engine: ScriptedEngine, question: str = QUESTION, quote: str = "") -> Answer:
    return Answerer(engine).stream(retrieval(), question, instead=lambda: quote).finish()


def small(*replies: str) -> ScriptedEngine:
    return ScriptedEngine(*replies, is_small=True)


def test_a_few_words_are_shown_where_the_check_finds_them_right() -> None:
    answer = answer_of(small(SIGN, "Celiac", "yes"))
    assert (answer.text, answer.abstained, answer.note) == ("Celiac [1]", False, SECOND)
    assert answer.filter_tokens > 0, "what the second try cost counts"


def test_words_that_no_source_has_cite_the_passage_that_was_looked_at() -> None:
    assert answer_of(small(SIGN, "Intolerance of gluten", "yes")).text == "Intolerance of gluten [1]"


@pytest.mark.parametrize(
    "replies",
    [(SIGN, "Celiac", "no"), (SIGN, SIGN), (SIGN, ""), (SIGN, "A separate toaster"), (SIGN, "The notes do not say.")],
    ids=["checked as wrong", "abstains again", "says nothing", "repeats the question", "denies"],
)
def test_otherwise_the_notes_do_not_tell(replies: tuple[str, ...]) -> None:
    answer = answer_of(small(*replies))
    assert (answer.text, answer.abstained, answer.note) == (sentence("en"), True, "")


def test_words_without_the_value_that_is_asked_for_are_not_checked() -> None:
    assert answer_of(small(SIGN, "Celiac"), "What is Bree's phone number now?").abstained


def test_a_sentence_that_tells_comes_first() -> None:
    answer = answer_of(small(SIGN), quote=f"{BREE} [1]")
    assert (answer.text, answer.abstained, answer.note) == (f"{BREE} [1]", False, QUOTED)


def test_a_larger_model_is_not_asked_again() -> None:
    assert answer_of(ScriptedEngine(SIGN)).abstained


def test_nothing_is_asked_again_where_spans_were_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noderag_local.generation.answering.FACT", Bounds(1000.0, -1000.0))
    engine = small("Separate toaster", "yes", SIGN)
    assert answer_of(engine, "What does Bree have in the kitchen?").abstained
    assert len(engine.history) == 3, "the span, its check, and what the model writes"
