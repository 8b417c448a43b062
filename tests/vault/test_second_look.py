"""A sentence that tells is shown, and little is read where there is one."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from noderag_local.aggregation.telling import Telling
from noderag_local.config import load_settings
from noderag_local.generation.answering import QUOTED
from noderag_local.models.language_model import LanguageModel
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.vault import Vault

TODAY = date(2026, 6, 20)
TIP = "Ilse (Ilse Hagen) told me to read Salt Roads."


@pytest.mark.parametrize(
    "question",
    [
        "Who recommended Salt Roads to me?",
        "I am trying to recall who suggested that I should read Salt Roads.",
        "I'd like to say thank you, so who was it that told me to read Salt Roads?",
        "Wer hat mir Salt Roads empfohlen?",
    ],
)
def test_a_sentence_tells_by_words_for_the_same(question: str) -> None:
    assert Telling(question, TODAY).holds(TIP, "5 April 2026")


@pytest.mark.parametrize(
    ("question", "sentence", "title"),
    [
        ("What did I think of the ending of Salt Roads?", TIP, ""),
        ("Who recommended Kiln to me?", TIP, ""),
        ("What did Bruno find in the garden?", "Ilse found a coin in the garden.", "Bruno and Ilse"),
        ("What is Ilse's shoe size?", "Lives by the canal.", "Ilse Hagen"),
        ("Who is it?", TIP, ""),
        ("", "", ""),
    ],
)
def test_it_does_not_where_a_word_or_the_name_is_missing(question: str, sentence: str, title: str) -> None:
    assert not Telling(question, TODAY).holds(sentence, title)


def test_on_the_page_about_somebody_the_name_need_not_be_repeated() -> None:
    telling = Telling("Which roof did Ilse Hagen mend?", TODAY)
    assert telling.holds("Mended the roof of the mill.", "Ilse Hagen")
    assert not telling.holds("Mended the roof of the mill.", "Ilse Hagen", words_on_page=3)


def test_a_word_for_the_kind_that_is_asked_for_need_not_stand_in_the_notes() -> None:
    assert not Telling("In which town is Lumicon?", TODAY).names_something
    assert Telling("What is the name of Ilse's dog?", TODAY).names_something


def answer_of(folder: Path, written: str, question: str) -> tuple[str, bool, str]:
    class Scripted(LanguageModel):
        def engine(self) -> ScriptedEngine:  # type: ignore[override]
            return ScriptedEngine(written)

    settings = load_settings(models_dir=folder / "no-models")
    with Vault(folder, settings, Scripted(settings)) as vault:
        answer = vault.ask(question).finish()
    return answer.text, answer.abstained, answer.note


def test_the_sentence_stands_in_place_of_the_abstention(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "2026-04-05.md").write_text(f"# 5 April 2026\n\n{TIP}\n\nRain all day.\n", encoding="utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "no-models")) as vault:
        vault.index([notes])
    found = answer_of(tmp_path / "vault", "NOT IN NOTES", "Which person suggested Salt Roads to me?")
    assert found == (f"{TIP} [1]", False, QUOTED)
    assert answer_of(tmp_path / "vault", "NOT IN NOTES", "Who painted Salt Roads?")[1:] == (True, "")
    own_words = "The sources do not mention who painted Salt Roads."
    assert answer_of(tmp_path / "vault", own_words, "Who painted Salt Roads?") == (own_words, True, "")


def test_an_unsupported_answer_to_what_no_passage_has_is_not_shown(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    page = "# Ilse Hagen\n\nLives by the canal. Born in 1979. Her boots are by the door.\n"
    (notes / "Ilse Hagen.md").write_text(page, encoding="utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "no-models")) as vault:
        vault.index([notes])
    question, invented = "What size do Ilse Hagen's gloves have?", "Ilse Hagen's gloves have size 37 [1]."
    assert answer_of(tmp_path / "vault", invented, question) == ("Your notes do not tell.", True, "")
    # What a source supports is shown, and so is the answer to a question whose words stand in the notes.
    supported = "Ilse Hagen lives by the canal [1]."
    assert answer_of(tmp_path / "vault", supported, question)[:2] == (supported, False)
    asked = "What colour do Ilse Hagen's boots have?"
    assert answer_of(tmp_path / "vault", "Ilse Hagen's boots are red [1].", asked)[1] is False
    # What may have to be inferred is shown with a note.
    inferred = "Ilse Hagen is 47 years old [1]."
    assert answer_of(tmp_path / "vault", inferred, "How old is Ilse Hagen?")[:2] == (inferred, False)
