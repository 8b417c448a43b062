"""`noderag models bench`, with a server in the model's place."""

from __future__ import annotations

import pytest
from helpers.command_line import Noderag
from helpers.model_server import Exchange, serving

from noderag_local.evaluation.model_bench.bench import answers_of
from noderag_local.evaluation.model_bench.reading_questions import reading_questions
from noderag_local.generation.abstention import SIGN
from noderag_local.models.llm.scripted import ScriptedEngine


def test_kinds_and_languages_alternate_and_every_answer_stands_in_the_notes() -> None:
    questions = reading_questions()
    assert len(questions) == 60
    assert len({one.asked.id for one in questions}) == 60
    for one in questions:
        assert one.asked.is_unanswerable or one.asked.answers[0].casefold() in one.found.context.casefold(), (
            one.asked.id
        )
    first = questions[:20]
    assert {one.language for one in first} == {"en", "de", "fr", "es"}
    assert {one.asked.kind for one in first} == {"single", "two-hop", "number", "when", "unanswerable"}


def test_a_model_gets_points_by_kind_and_language(noderag: Noderag, monkeypatch: pytest.MonkeyPatch) -> None:
    right = {one.asked.question: one.asked.answers[0] for one in reading_questions()[:8] if one.asked.answers}

    def answer(exchange: Exchange) -> None:
        prompt = exchange.document["messages"][-1]["content"]
        told = next((text for question, text in right.items() if question in prompt), "")
        exchange.say(f"{told} [1]." if told else SIGN)

    with serving(answer=answer) as server:
        monkeypatch.setenv("NODERAG_SERVER_URL", server.url)
        done = noderag("models", "bench", "--limit", 8, "--json", "--show-answers")
        shown = noderag("models", "bench", "--limit", 8)
    assert done.document["score"]["kinds"][-1]["points"]["mean"] == 100
    assert len(done.document["answers"]) == 8
    assert "first word after" in shown.out and "two-hop" in shown.out


def test_a_small_model_writes_its_answers_itself_as_all_others_do() -> None:
    questions = [one for one in reading_questions() if one.asked.kind == "single"][:2]
    written = [one.asked.answers[0] for one in questions]
    engine = ScriptedEngine(*(f"{answer} [1]." for answer in written), is_small=True)
    given = [one.run.answer.partition(" [")[0] for one in answers_of(engine, questions, 50, lambda: False)]
    assert given == written
    assert len(engine.history) == len(questions)


def test_without_a_model_it_says_how_to_get_one(noderag: Noderag) -> None:
    done = noderag("models", "bench")
    assert done.code != 0
    assert "noderag models get" in done.err
