"""Overviews: the points that a model copies out of many passages."""

from __future__ import annotations

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.domain.stream import Stream
from noderag_local.generation.answering import Answer
from noderag_local.generation.filtering import GROUP_TOKENS
from noderag_local.generation.overview import overview
from noderag_local.models.llm.engine import Finish
from noderag_local.models.llm.scripted import ScriptedEngine

FOG = "Climate chamber, day 1. Fog after forty minutes."
CAT = "Pixel at the vet. She lost half a kilo. I am worried about her."
QUESTION = "What worried me in November?"


def retrieval(*texts: str) -> Retrieval:
    sources = tuple(
        Source(number, f"/notes/{number}.md", 0, "", (), 1, 2, 0, len(text), text)
        for number, text in enumerate(texts, start=1)
    )
    return Retrieval("test", QUESTION, 2000, "", 50, sources, (), (), 1.0)


def asked(engine: ScriptedEngine, found: Retrieval) -> tuple[list[str], Answer]:
    stream = Stream(overview(engine, found, QUESTION))
    return list(stream), stream.result


def test_every_point_stands_in_the_note_that_it_cites() -> None:
    reply = "[2] I am worried about her. | 3\n[1] Fog after forty minutes. | 2"
    pieces, answer = asked(ScriptedEngine(reply, strict=True), retrieval(FOG, CAT))
    assert pieces == ["- Fog after forty minutes. [1]", "\n- I am worried about her. [2]"]
    assert answer.text == "".join(pieces)
    assert [(one.text, one.numbers, one.supported) for one in answer.citations] == [
        ("- Fog after forty minutes.", (1,), True),
        ("- I am worried about her.", (2,), True),
    ]
    assert answer.note == "Copied from 2 passages, read in 1 part."
    assert answer.completion is not None and answer.llm_tokens > 0


def test_long_passages_are_read_in_parts_and_what_stands_twice_is_told_once() -> None:
    long = f"{FOG} {'The Dreisam is high today. ' * (GROUP_TOKENS // 8)}"
    engine = ScriptedEngine("[1] Fog after forty minutes. | 2", "[2] Fog after forty minutes. | 2", strict=True)
    pieces, answer = asked(engine, retrieval(long, long))
    assert pieces == ["- Fog after forty minutes. [1]"]
    assert (len(engine.history), answer.note) == (2, "Copied from 2 passages, read in 2 parts.")
    assert "Dreisam" in engine.history[1].messages[-1].content


def test_where_no_passage_helps_the_notes_do_not_tell() -> None:
    pieces, answer = asked(ScriptedEngine("0", strict=True), retrieval(FOG))
    assert answer.abstained and pieces == [answer.text]
    assert answer.citations == () and answer.finish is Finish.STOP


def test_what_was_found_before_a_stop_stays() -> None:
    long = f"{FOG} {'The Dreisam is high today. ' * (GROUP_TOKENS // 8)}"
    engine = ScriptedEngine("[1] Fog after forty minutes. | 2", "[2] The Dreisam is high today. | 1")
    stream = Stream(overview(engine, retrieval(long, long), QUESTION, lambda: len(engine.history) == 2))
    assert list(stream) == ["- Fog after forty minutes. [1]"]
    assert (stream.result.finish, stream.result.note) == (Finish.CANCELLED, "The answer was stopped.")
