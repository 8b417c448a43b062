"""A question in unusual words is answered without a language model, and the words that it was taken for are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from noderag_local.config import load_settings
from noderag_local.domain.passages import EVERYTHING
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.vault import Vault

NOTES = {
    "People/Ilse Hagen.md": "# Ilse Hagen\n\nRoofer. Lives in Weimar by the canal.\n",
    "People/Bruno Pohl.md": "# Bruno Pohl\n\nAllergic to walnuts.\n",
    "Books/Kiln.md": "# Kiln\n\nA slow start.\n",
    "Daily/2026-03-02.md": "# 2 March 2026\n\nLent Kiln to Ilse Hagen after dinner.\n",
    "Daily/2026-03-09.md": "# 9 March 2026\n\nWent swimming, 40 lengths.\n",
    "Daily/2026-03-12.md": "# 12 March 2026\n\nSwimming before work.\n",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    notes = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (notes / name).parent.mkdir(exist_ok=True)
        (notes / name).write_text(text, encoding="utf-8")
    with Vault(tmp_path_factory.mktemp("vault"), load_settings()) as made:
        made.index([notes])
        yield made


@pytest.mark.parametrize(
    ("question", "asked_as", "told"),
    [
        ("Who's hogging my copy of Kiln?", "Who has Kiln now?", "Ilse Hagen"),
        ("what must never end up on the plate of Bruno Pohl?", "What is Bruno Pohl allergic to?", "walnuts"),
        ("I want to send a card, so which town is Ilse Hagen's home these days?", "", "Weimar"),
        ("How far, no, wait, not how far, how often did I go swimming in March 2026, please?", "", "2 times"),
    ],
)
def test_an_unusual_question_is_answered_without_a_model(vault: Vault, question: str, asked_as: str, told: str) -> None:
    answer = vault.ask(question, with_model=False).finish()
    assert told in answer.text and answer.citations
    assert not asked_as or answer.asked_as == asked_as


def test_what_the_notes_do_not_tell_is_not_computed_from_near_words(vault: Vault) -> None:
    answer = vault.ask("Which ring size should I order for Ilse Hagen?", with_model=False).finish()
    assert answer.retrieval.method == "noderag" and answer.asked_as == ""


def test_a_question_for_two_things_keeps_its_words(vault: Vault) -> None:
    answer = vault.ask("Who's hogging my copy of Kiln, and how long for?", with_model=False).finish()
    assert answer.retrieval.method == "noderag" and answer.asked_as == ""


def test_other_methods_get_the_question_as_it_is(vault: Vault) -> None:
    answer = vault.ask("Who's hogging my copy of Kiln?", method="bm25", with_model=False).finish()
    assert (answer.retrieval.method, answer.asked_as) == ("bm25", "")


def test_the_model_is_not_asked_where_the_meaning_is_known(vault: Vault) -> None:
    engine = ScriptedEngine()
    parts = vault._asking("", 500, EVERYTHING, True, False, lambda _: None, lambda: False)
    asking = replace(parts, open_engine=lambda: engine)
    assert "Ilse Hagen" in "".join(asking.pieces("Who's hogging my copy of Kiln?", (), short=False))
    assert engine.history == []
