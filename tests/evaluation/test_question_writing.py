"""Open questions about a corpus: as many as wanted, none twice, and the same from the same answers."""

from __future__ import annotations

import re
from zlib import crc32

import pytest

from noderag_local.domain.errors import ModelError
from noderag_local.evaluation.judging.question_writing import Numbers, OpenQuestion, write_questions
from noderag_local.models.llm.engine import Request, never
from noderag_local.models.llm.scripted import ScriptedEngine

OUTLINE = ("Harbour: Boats lie at the pier.", "Bakery: Bread is sold at six.")


def distinct(request: Request) -> str:
    """Writes as many lines as wanted, each with words of its own."""
    asked = request.messages[-1].content
    number = int(re.findall(r"Write (\d+) different", asked)[0])
    seed = crc32(asked.encode())
    return "\n".join(f"{at}. What about stone{seed}q{at} and river{seed}r{at}?" for at in range(1, number + 1))


def written(engine: ScriptedEngine, numbers: Numbers) -> list[OpenQuestion]:
    return list(write_questions(engine, OUTLINE, numbers, never))


def test_there_are_125_and_each_knows_its_user_and_task() -> None:
    engine = ScriptedEngine(reply=distinct)
    found = written(engine, Numbers())
    assert len(found) == len({one.question for one in found}) == 125
    assert len({one.id for one in found}) == 125
    assert (len({one.user for one in found}), len({(one.user, one.task) for one in found})) == (5, 25)
    assert (found[0].id, found[-1].id) == ("1-1-1", "5-5-5")
    assert len(engine.history) == 1 + 5 + 25
    assert all("- Harbour: Boats lie at the pier." in one.messages[-1].content for one in engine.history)
    assert found == written(ScriptedEngine(reply=distinct), Numbers())


def test_what_repeats_is_asked_for_again_and_then_left_out() -> None:
    engine = ScriptedEngine(
        "1. A sailor",
        "1. Plan a voyage",
        "1. Which boats lie at the pier?\n2. WHICH boats, then, lie at the pier?\n3. no question\n4.\n5. ?",
        "1. Which boats lie at the pier?\n2. Who bakes the bread?",
        "1. Which boats lie at the pier?",
    )
    found = written(engine, Numbers(1, 1, 3))
    assert [one.question for one in found] == ["Which boats lie at the pier?", "Who bakes the bread?"]
    again = engine.history[3].messages[-1].content
    assert "Write 2 different questions" in again
    assert again.endswith("Already written, so write others:\n- Which boats lie at the pier?")


def test_a_question_of_another_task_is_not_asked_twice() -> None:
    def one_question(request: Request) -> str:
        asked = request.messages[-1].content
        if "questions that" in asked:
            return "1. Which boats lie at the pier?"
        return "1. Plan a voyage\n2. Buy bread" if "tasks" in asked else "1. A sailor"

    assert [one.id for one in written(ScriptedEngine(reply=one_question), Numbers(1, 2, 1))] == ["1-1-1"]


@pytest.mark.parametrize(
    "nonsense",
    ["", "I cannot do that.", "\x1b[2J\x1b]0;owned\x07", "1. " + "very " * 3000 + "long?", "…\n" * 2000],
)
def test_nonsense_gives_no_question(nonsense: str) -> None:
    assert written(ScriptedEngine(reply=lambda _: nonsense), Numbers(2, 2, 2)) == []


def test_braces_and_escapes_stay_text() -> None:
    engine = ScriptedEngine("1. A {task} of {number}", "1. Plan", "1. Which \x1b[31mboats?")
    (one,) = written(engine, Numbers(1, 1, 1))
    assert (one.user, one.question) == ("A {task} of {number}", "Which [31mboats?")


def test_an_error_ends_it_and_a_stop_leaves_what_there_is() -> None:
    with pytest.raises(ModelError, match="gone"):
        written(ScriptedEngine(reply=lambda _: ModelError("gone")), Numbers())
    engine = ScriptedEngine(reply=distinct)
    some = list(write_questions(engine, OUTLINE, Numbers(), lambda: len(engine.history) > 9))
    assert 0 < len(some) < 125
