"""A question of several steps, asked of a real vault with a model that says what it is told."""

from __future__ import annotations

from functools import partial

import pytest
from helpers.bare_asking import bare_asking

from noderag_local.config import load_settings
from noderag_local.domain.passages import EVERYTHING
from noderag_local.generation.answering import Answer
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.ask import AskProgress, VaultAsking
from noderag_local.vault.computing import followed_to_person
from noderag_local.vault.steps import STEP_TOKENS
from noderag_local.vault.vault import Vault

QUESTION = "Where does the person work to whom I lent Salt Roads?"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    notes = tmp_path_factory.mktemp("notes")
    (notes / "diary.md").write_text(
        "Lent Salt Roads to Ilse Hagen after dinner.\n\nSalt Roads has 318 pages.\n", encoding="utf-8"
    )
    (notes / "Ilse Hagen.md").write_text("Ilse Hagen works at the Lumen Press.\n", encoding="utf-8")
    made = Vault(tmp_path_factory.mktemp("vault"), load_settings())
    made.index([notes])
    return made


def asked(vault: Vault, *replies: str) -> tuple[Answer, ScriptedEngine, list[AskProgress]]:
    engine, told = ScriptedEngine(*replies), list[AskProgress]()
    asking = bare_asking(
        search=lambda question, tokens, _: vault.search(question, budget_tokens=tokens),
        open_engine=lambda: engine,
        progress=told.append,
    )
    return finished(asking, QUESTION), engine, told


def finished(asking: VaultAsking, question: str) -> Answer:
    stream = asking.pieces(question, (), short=False)
    try:
        while True:
            next(stream)
    except StopIteration as stopped:
        assert isinstance(stopped.value, Answer)
        return stopped.value


def test_each_step_has_a_search_of_its_own(vault: Vault) -> None:
    answer, engine, told = asked(vault, "Ilse Hagen", "Lumen Press")
    assert answer.asked_as == "Where does Ilse Hagen work?"
    assert answer.note == "In steps: Who is the person to whom I lent Salt Roads? → Ilse Hagen."
    assert "Lumen Press" in answer.text
    assert any("Who is the person" in one.message for one in told)
    assert len(engine.history) == 2


@pytest.mark.parametrize("reply", ["Otto Bruns", "NOT IN NOTES", "Salt Roads", ""])
def test_a_step_whose_answer_does_not_stand_in_the_notes_leaves_the_question_whole(vault: Vault, reply: str) -> None:
    answer, engine, _ = asked(vault, reply, reply, "At the Lumen Press [1].")
    assert answer.asked_as == ""
    assert "In steps" not in answer.note
    assert len(engine.history) == 3


def test_nothing_more_is_asked_about_a_mere_number(vault: Vault) -> None:
    answer, engine, _ = asked(vault, "318", "At the Lumen Press [1].")
    assert answer.asked_as == ""
    assert "Lumen Press" in answer.text
    assert len(engine.history) == 2


def test_whom_the_notes_lead_to_is_read_about_with_the_way_there(vault: Vault) -> None:
    engine = ScriptedEngine("Ilse Hagen works at the Lumen Press [1].")
    asking = bare_asking(
        follow=partial(followed_to_person, vault._read, "noderag", EVERYTHING),
        search=partial(vault._search_led_by, "noderag", EVERYTHING),
        open_engine=lambda: engine,
    )
    answer = finished(asking, "Somebody borrowed Salt Roads from me. Do they like the press?")
    assert answer.note.startswith("In steps: Lent Salt Roads to Ilse Hagen after dinner [")
    assert answer.note.endswith("→ Ilse Hagen.")
    assert answer.retrieval.tokens <= STEP_TOKENS
    read = " ".join(source.text for source in answer.retrieval.sources)
    assert "Ilse Hagen works at the Lumen Press." in read
    assert "Lent Salt Roads to Ilse Hagen" in read
    assert len(engine.history) == 1
