"""Which files are about something."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.vault.vault import Vault


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """The notes of the demo, and two about illness."""
    folder = tmp_path_factory.mktemp("matches")
    (folder / "notes").mkdir()
    (folder / "notes" / "family.md").write_text(
        "# Family\n\nMy aunt Vera was taken ill; she is in hospital.\n", "utf-8"
    )
    (folder / "notes" / "log.md").write_text("# Vera\n\nAunts came. The illnesses of winter are over.\n", "utf-8")
    (folder / "notes" / "中文.md").write_text("姑姑生病了，住在医院。\n", "utf-8")
    with (
        as_file(files("noderag_local") / "evaluation" / "demo" / "notes") as demo,
        Vault(folder / "vault", load_settings()) as opened,
    ):
        opened.index([demo, folder / "notes"])
        yield opened


def found(vault: Vault, question: str) -> list[str]:
    return [Path(match.path).name for match in vault.matches(question)]


@pytest.mark.parametrize(
    "question",
    ["my divorce", "therapy sessions", "salary negotiation", "mother's operation", "dentist appointment", "the", ""],
)
def test_what_no_note_is_about_finds_none(vault: Vault, question: str) -> None:
    assert found(vault, question) == []


def test_all_words_of_a_passage_or_its_headings_and_then_what_is_near(vault: Vault) -> None:
    assert found(vault, "Aunt Vera's illness") == ["log.md", "family.md"]
    by_words, near = vault.matches("Aunt Vera's illness")
    assert by_words.cosine is None
    assert near.cosine is not None and near.cosine > 0.5
    assert near.passage == "My aunt Vera was taken ill; she is in hospital."


@pytest.mark.parametrize("question", ["姑姑生病", "姑 医院"])
def test_words_of_scripts_without_spaces(vault: Vault, question: str) -> None:
    assert found(vault, question)[:1] == ["中文.md"]


def test_the_sentence_with_the_words_is_shown(vault: Vault) -> None:
    (match,) = [one for one in vault.matches("adrenaline pen") if one.cosine is None]
    assert "adrenaline pen" in match.passage
