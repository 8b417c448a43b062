"""A sentence that tells is shown, and little is read where there is one."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from helpers.scripted_model import ScriptedModel

from noderag_local.aggregation.telling import Telling
from noderag_local.config import load_settings
from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.second_try import QUOTED
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.second_look import only_about_named
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


def answer_of(folder: Path, written: str, question: str, *checked: str) -> tuple[str, bool, str]:
    """Returns the text, whether it is an abstention, and the note; `checked` is what the model says to its own answer."""
    settings = load_settings(models_dir=folder / "no-models")
    with Vault(folder, settings, ScriptedModel(ScriptedEngine(written, *checked))) as vault:
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


def vault_of(folder: Path, pages: dict[str, str]) -> Path:
    """Returns the folder of a vault of pages, by their titles."""
    notes = folder / "notes"
    notes.mkdir()
    for title, text in pages.items():
        (notes / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    with Vault(folder / "vault", load_settings(models_dir=folder / "no-models")) as vault:
        vault.index([notes])
    return folder / "vault"


def test_an_answer_to_what_no_passage_has_is_shown_if_the_model_finds_it_right(tmp_path: Path) -> None:
    page = "Lives by the canal. Born in 1979. Her boots are by the door."
    folder = vault_of(tmp_path, {"Ilse Hagen": page, "Bruno Lee": "His gloves have size 37."})
    question, invented = "What size do Ilse Hagen's gloves have?", "Ilse Hagen's gloves have size 37 [1]."
    untold = ("Your notes do not tell.", True, "")
    assert answer_of(folder, invented, question, "no") == untold
    assert answer_of(folder, invented, "glove size Ilse Hagen", "no") == untold
    # What a passage says need not be what was asked.
    assert answer_of(folder, "Ilse Hagen lives by the canal [1].", question, "no") == untold
    # Words for the same stand in no list.
    assert (
        answer_of(folder, "Ilse Hagen's footwear is by the door [1].", "Where is Ilse Hagen's footwear?", "yes")[1]
        is False
    )
    # What the model says of its own answer does not count where the source is about somebody else.
    number = source_about(folder, question, "Bruno Lee")
    assert answer_of(folder, f"Ilse Hagen's gloves have size 37 [{number}].", question) == untold
    # The answer to a question whose words stand in the notes is shown as it is written.
    asked = "What colour do Ilse Hagen's boots have?"
    assert answer_of(folder, "Ilse Hagen's boots are red [1].", asked, "no")[1] is True
    assert answer_of(folder, "Ilse Hagen's boots are by the door [1].", "Where are Ilse Hagen's boots?")[1] is False


def source_about(folder: Path, question: str, title: str) -> int:
    with Vault(folder, load_settings(models_dir=folder / "no-models")) as vault:
        return next(source.number for source in vault.search(question).sources if source.title == title)


@pytest.mark.parametrize(
    ("title", "text", "question", "beside", "told"),
    [
        ("Ilse Hagen", "Hat eine Schwester. Fährt ein rotes Rad.", "Welche Schuhgröße hat Ilse Hagen?", "Ilse Hagen hat eine Schwester [1].", "Ihre Notizen sagen dazu nichts."),
        ("Inés Vega", "Tiene una hermana. Vive en Gijón.", "¿De qué color son los ojos de Inés Vega?", "Inés Vega tiene una hermana [1].", "Sus notas no lo dicen."),
        ("Hélène Brun", "A une sœur. Habite à Angers.", "De quelle couleur sont les yeux d'Hélène Brun ?", "Hélène Brun a une sœur [1].", "Vos notes ne le disent pas."),
    ],
)  # fmt: skip
def test_what_stands_beside_the_name_is_no_answer_in_any_language(
    tmp_path: Path, title: str, text: str, question: str, beside: str, told: str
) -> None:
    folder = vault_of(tmp_path, {title: text})
    assert answer_of(folder, beside, question, "no") == (told, True, "")
    assert answer_of(folder, beside, question, "yes")[:2] == (beside, False)


CARDS = {
    "Ana Lee": "Lives in Lyon. Careful: allergic to nuts.",
    "Bea Roth": "Lives in Graz. Careful: allergic to celery.",
    "Cem Kaya": "Lives in Cork. Careful: allergic to cats.",
    "2026-05-02": "Coffee with Ana Lee, rain.\n\n[9] of us sang.",
    "2026-05-03": "An allergic reaction on the bus, somebody's.",
}


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a vault of pages about people, and a diary."""
    notes = tmp_path_factory.mktemp("notes")
    for name, text in CARDS.items():
        (notes / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    with Vault(notes.parent / "cards", load_settings()) as vault:
        vault.index([notes])
    return notes.parent / "cards"


def read_for(cards: Path, question: str) -> tuple[str, Retrieval, Retrieval]:
    """Returns the context that the model reads for a question, and the retrievals before and after."""
    with Vault(cards, load_settings()) as vault:
        found = vault.search(question)
    read = only_about_named(question, found, len)
    return read.context, found, read


def test_pages_about_others_are_not_read_beside_the_page_of_whom_the_question_names(cards: Path) -> None:
    context, found, read = read_for(cards, "What sets off an allergic reaction in Ana Lee?")
    assert "celery" in found.context and "cats" in found.context
    assert "nuts" in context and "Coffee with Ana Lee" in context
    assert "celery" not in context and "cats" not in context and "bus" not in context
    assert read.sources == found.sources and read.tokens == len(context)
    # A line that looks like the beginning of a source stays with its own.
    assert "[9] of us sang." in context


@pytest.mark.parametrize(
    "question",
    ["Who is allergic to celery?", "What sets off a reaction in Dora Berg?", "Who sang?"],
)
def test_where_nobody_with_a_page_is_named_everything_is_read(cards: Path, question: str) -> None:
    context, found, _ = read_for(cards, question)
    assert context == found.context


def test_what_only_led_to_somebody_is_not_read(cards: Path) -> None:
    question = "What sets off an allergic reaction in Ana Lee?"
    with Vault(cards, load_settings()) as vault:
        found = vault.search(question)
    passed = [source.number for source in found.sources if source.title in ("2026-05-02", "Ana Lee")]
    read = only_about_named(question, found, len, passed)
    assert "nuts" in read.context and "Coffee" not in read.context


def test_a_first_name_in_small_letters_is_known_by_its_page(cards: Path) -> None:
    question = "what is ana allergic to"
    with Vault(cards, load_settings()) as vault:
        found = vault.search(question)
    assert "celery" in only_about_named(question, found, len).context
    read = only_about_named(question, found, len, namesakes=lambda name: ["Ana Lee"] if name == "Ana" else [])
    assert "nuts" in read.context and "celery" not in read.context


def test_a_month_is_no_name_although_a_language_has_the_same_stem(cards: Path) -> None:
    page = Source(1, "/notes/Janet Berg.md", 0, "Janet Berg", (), 1, 1, 0, 9, "Our skip.")
    other = Source(2, "/notes/Greg.md", 0, "Greg", (), 1, 1, 0, 16, "Birthday 23 Jan.")
    context = "[2] (Greg) Birthday 23 Jan.\n[1] (Janet Berg) Our skip."
    found = Retrieval("default", "", 500, context, 20, (page, other), (), (), 1.0)
    assert only_about_named("When is Janet Berg's birthday?", found, len).context == "[1] (Janet Berg) Our skip."


def test_of_two_people_both_are_read(cards: Path) -> None:
    context, _, _ = read_for(cards, "Who is allergic to more, Ana Lee or Bea Roth?")
    assert "nuts" in context and "celery" in context and "cats" not in context


def test_the_model_reads_nothing_of_strangers_and_the_person_sees_all(cards: Path) -> None:
    engine = ScriptedEngine("Nuts [1].", "yes")

    with Vault(cards, load_settings(), ScriptedModel(engine)) as vault:
        answer = vault.ask("What would make Ana Lee sneeze?").finish()
    assert answer.text == "Nuts [1].", answer.note
    assert "celery" not in engine.history[0].messages[-1].content
    assert any("celery" in source.text for source in answer.retrieval.sources)
