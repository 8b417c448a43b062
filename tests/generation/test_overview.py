"""Overviews: the sentences of many passages that a model says fit."""

from __future__ import annotations

from datetime import date

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.overview import MOST_SENTENCES, overview
from noderag_local.models.llm.engine import Finish, Request
from noderag_local.models.llm.scripted import ScriptedEngine

FOG = "Climate chamber all day. Fog after forty minutes."
CAT = "Pixel at the vet. She lost half a kilo. I am worried about her. Why?"
QUESTION = "What worried me in November?"


def retrieval(*texts: str) -> Retrieval:
    sources = tuple(
        Source(number, f"/notes/{number}.md", 0, f"Day {number}", (), 1, 2, 0, len(text), text)
        for number, text in enumerate(texts, start=1)
    )
    return Retrieval("test", QUESTION, 2000, "", 50, sources, (), (), 1.0)


def says_yes_to(*texts: str) -> ScriptedEngine:
    def reply(request: Request) -> str:
        return "yes" if any(text in request.messages[-1].content for text in texts) else "no"

    return ScriptedEngine(reply=reply)


def test_every_line_is_a_sentence_of_the_note_that_it_cites() -> None:
    engine, told = says_yes_to("Fog after", "worried about her"), list[str]()
    answer = overview(engine, retrieval(FOG, CAT), (), QUESTION, told.append)
    assert answer.text == "- Fog after forty minutes. [1]\n- I am worried about her. [2]"
    assert [(one.numbers, one.supported) for one in answer.citations] == [((1,), True), ((2,), True)]
    assert answer.note == "The language model looked at each of 5 sentences and may err."
    assert told[1] == "Looked at 2 of 5 sentences …"
    assert answer.llm_tokens > 0 and answer.model == "scripted"
    assert "Day 2\nShe lost half a kilo." in engine.history[3].messages[-1].content


def test_what_stands_twice_is_judged_once_and_no_more_than_the_best_passages_hold() -> None:
    engine = says_yes_to("Fog")
    overview(engine, retrieval(FOG, FOG), (), QUESTION)
    assert len(engine.history) == 2
    engine = says_yes_to("Fog")
    answer = overview(engine, retrieval(" ".join(f"On day {day} it rained." for day in range(200, 400))), (), QUESTION)
    assert len(engine.history) == MOST_SENTENCES
    assert answer.note == "The language model looked at each of the best 60 sentences, of 200, and may err."


def test_the_order_is_that_of_the_days_and_marks_in_notes_are_no_citations() -> None:
    texts = ["Fog on the lake again [2].", "Fog in the valley [1] too."]
    answer = overview(says_yes_to("Fog"), retrieval(*texts), (date(2026, 11, 9), date(2026, 11, 5)), QUESTION)
    assert answer.text == "- Fog in the valley too. [2]\n- Fog on the lake again . [1]"


def test_where_no_sentence_fits_the_notes_do_not_tell() -> None:
    answer = overview(says_yes_to("Oslo"), retrieval(FOG), (), QUESTION)
    assert answer.abstained and answer.citations == () and answer.finish is Finish.STOP


def test_a_stop_gives_no_answer() -> None:
    engine = says_yes_to("Fog")
    answer = overview(engine, retrieval(FOG, CAT), (), QUESTION, cancelled=lambda: len(engine.history) == 3)
    assert (answer.finish, answer.was_begun) == (Finish.CANCELLED, False)
