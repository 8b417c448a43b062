"""Questions in unusual words: a model puts them into plain ones, and the notes are computed with."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.scripted_model import ScriptedModel

from noderag_local.config import load_settings
from noderag_local.generation.answering import Answer
from noderag_local.models.llm.engine import Finish
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.ask import AskProgress
from noderag_local.vault.vault import Vault

OCCASIONS = "In total, on how many occasions, during May 2026, did I engage in rowing?"
PLAINLY = "How often did I go rowing in May 2026?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault of a diary."""
    notes = tmp_path_factory.mktemp("notes")
    for day, text in (
        ("2026-05-02", "Went rowing with Ada."),
        ("2026-05-09", "Rain."),
        ("2026-05-16", "Rowing, alone."),
    ):
        (notes / f"{day}.md").write_text(f"# {day}\n\n{text}\n", encoding="utf-8")
    place = tmp_path_factory.mktemp("asked") / "vault"
    with Vault(place, load_settings(models_dir=place / "no-models")) as vault:
        vault.index([notes])
    return place


@pytest.fixture(autouse=True)
def no_usual_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the meaning of a question already decides never comes to the model."""
    monkeypatch.setattr("noderag_local.vault.asking_parts.in_usual_form", lambda *_: "")


def asked(folder: Path, question: str, engine: ScriptedEngine | None) -> tuple[Answer, list[AskProgress]]:
    told: list[AskProgress] = []
    model = ScriptedModel(engine) if engine else None
    with Vault(folder, load_settings(models_dir=folder / "no-models"), model) as vault:
        return vault.ask(question, progress=told.append).finish(), told


def test_what_the_rules_read_in_plain_words_is_computed(folder: Path) -> None:
    engine = ScriptedEngine(PLAINLY)
    answer, told = asked(folder, OCCASIONS, engine)
    assert "2 times" in answer.text
    assert answer.asked_as == PLAINLY and answer.filter_tokens > 0 and answer.completion is None
    assert len(engine.history) == 1
    # The passages stand on the screen while the model reads the question.
    assert told[0].retrieval is None and told[1].retrieval is not None and not told[1].asked_as
    assert told[-1].asked_as == PLAINLY


@pytest.mark.parametrize(
    "reply", ["How often did I go rowing in June 2026?", "How often did Otto row in May 2026?", ""]
)
def test_words_that_ask_something_else_leave_the_question_as_it_is(folder: Path, reply: str) -> None:
    engine = ScriptedEngine(reply, "Twice [1].")
    answer, _ = asked(folder, OCCASIONS, engine)
    assert answer.asked_as == "" and "Twice" in answer.text
    assert OCCASIONS in engine.history[1].messages[-1].content
    assert answer.filter_tokens > 0


def test_plain_words_that_nothing_can_be_computed_of_are_not_used(folder: Path) -> None:
    engine = ScriptedEngine("How often was rowing, in May 2026, nicer than tennis?", "Never [1].")
    answer, _ = asked(folder, OCCASIONS, engine)
    assert answer.asked_as == "" and "Never" in answer.text


@pytest.mark.parametrize("question", [PLAINLY, "How is Ada?", "Why did it rain?"])
def test_plain_questions_and_simple_ones_are_not_reworded(folder: Path, question: str) -> None:
    engine = ScriptedEngine(reply=lambda _: "It rained [1].")
    asked(folder, question, engine)
    assert not any(request.is_aside for request in engine.history)


def test_without_a_model_the_question_stays_as_it_is(folder: Path) -> None:
    answer, _ = asked(folder, OCCASIONS, None)
    assert answer.asked_as == "" and answer.retrieval.sources


def test_a_question_that_is_stopped_while_it_is_read_has_no_answer(folder: Path) -> None:
    engine = ScriptedEngine(PLAINLY)
    with Vault(folder, load_settings(models_dir=folder / "no-models"), ScriptedModel(engine)) as vault:
        answer = vault.ask(OCCASIONS, cancelled=lambda: bool(engine.history)).finish()
    assert answer.finish is Finish.CANCELLED and not answer.was_begun
