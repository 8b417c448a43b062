"""Indexing looks at the languages of the notes, and takes an embedding model that knows them if it is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.four_bit_model import four_bit_model

from noderag_local.config import load_settings
from noderag_local.models.embedding.model_files import MODEL_NAME
from noderag_local.models.embedding.q4_file import convert
from noderag_local.storage.database.fact_names import EMBEDDED_BY
from noderag_local.storage.database.store import Store
from noderag_local.text.languages import is_english
from noderag_local.vault.vault import Vault

E5 = "multilingual-e5-small"
GERMAN = "Die Großmutter hat das Rezept für den Kuchen in der Küche auf ein Blatt geschrieben."
ENGLISH = "Grandmother wrote the recipe for the cake on a sheet of paper in the kitchen."


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.md").write_text(f"{ENGLISH} It was page {number}.\n", encoding="utf-8")
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "models").mkdir()
    return Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "models", threads=1))


def get_model(tmp_path: Path) -> None:
    """Puts a tiny model with random weights where the multilingual one would be."""
    (tmp_path / "small.bin").write_bytes(four_bit_model().data)
    convert(tmp_path / "small.bin", tmp_path / "models" / E5)


def write_german(notes: Path, count: int) -> None:
    for number in range(count):
        (notes / f"de-{number}.md").write_text(f"{GERMAN} Es war Seite {number}.\n", encoding="utf-8")


def made_by(vault: Vault) -> str:
    """Name of the model that made the vectors; what else the vault notes about them stands behind a comma."""
    with Store.open(vault.folder, write=False) as store:
        return store.facts[EMBEDDED_BY].partition(",")[0]


def test_english_notes_keep_the_installed_model(vault: Vault, notes: Path, tmp_path: Path) -> None:
    get_model(tmp_path)
    assert vault.index([notes]).other_languages is None
    assert made_by(vault) == MODEL_NAME


def test_a_note_or_two_in_another_language_change_nothing(vault: Vault, notes: Path, tmp_path: Path) -> None:
    get_model(tmp_path)
    write_german(notes, 1)
    assert vault.index([notes]).other_languages is None
    assert made_by(vault) == MODEL_NAME


def test_other_languages_take_the_model_that_knows_them(vault: Vault, notes: Path, tmp_path: Path) -> None:
    get_model(tmp_path)
    write_german(notes, 6)
    found = vault.index([notes]).other_languages
    assert found is not None
    assert (found.looked_at, found.foreign, found.model, found.is_taken) == (18, 6, E5, True)
    assert made_by(vault) == E5
    assert vault.search("Wo steht das Rezept?").sources
    assert vault.index([notes]).other_languages is None
    assert made_by(vault) == E5


def test_without_it_the_command_is_told_and_the_next_run_takes_it(vault: Vault, notes: Path, tmp_path: Path) -> None:
    write_german(notes, 6)
    found = vault.index([notes]).other_languages
    assert found is not None
    assert (found.model, found.is_taken) == (E5, False)
    assert made_by(vault) == MODEL_NAME
    assert vault.index([notes]).other_languages is None
    get_model(tmp_path)
    found = vault.index([notes]).other_languages
    assert found is not None
    assert found.is_taken
    assert made_by(vault) == E5


def test_a_setting_is_obeyed_whatever_the_language(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    get_model(tmp_path)
    write_german(notes, 6)
    settings = load_settings(models_dir=tmp_path / "models", embedding_model="all-minilm-l6-v2", threads=1)
    vault = Vault(tmp_path / "vault", settings)
    assert vault.index([notes]).other_languages is None
    assert made_by(vault) == MODEL_NAME


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "Milk, eggs, bread",
        "",
        "Søren Kierkegaard, Antonín Dvořák and Frédéric Chopin met at the café in Malmö, he said to her.",
    ],
)
def test_these_are_english_or_nothing_else(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        GERMAN,
        "昨天我和小王去了北京的颐和园。",
        "Babcia zapisała przepis na ciasto na kartce w kuchni, a później zgubiła ją w ogródku przy płocie.",
        "Mormor skrev ner receptet på kakan på ett papper i köket och så försvann det när hon städade där på våren.",
        "Büyükannem kek tarifini mutfakta bir kâğıda yazdı, sonra onu bahçede çiçeklerin yanında kaybetti gülümseyerek.",
    ],
)
def test_these_are_not(text: str) -> None:
    assert not is_english(text)
