"""`noderag show` and `noderag stats` over the sample notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.command_line import Noderag

from noderag_local.interfaces.cli.questions.demo_command import notes_folder

MARTA = notes_folder() / "people" / "marta.md"


@pytest.mark.parametrize("name", [str(MARTA), "Marta Oliveira"])
def test_a_document_by_path_and_by_title(noderag: Noderag, sample_vault: Path, name: str) -> None:
    shown = noderag("show", name, "--vault", sample_vault)
    assert shown.code == 0
    assert "allergic to shellfish" in shown.out
    assert "Jonas Brandt" in shown.out


def test_a_person_with_a_note_is_shown_below_it(noderag: Noderag, sample_vault: Path) -> None:
    shown = noderag("show", "Marta Oliveira", "--vault", sample_vault).out
    document, entity = shown.split("Marta Oliveira  entity")
    assert document.startswith("Marta Oliveira  document") and "jonas.md" in entity
    assert document.count("link  Jonas Brandt") == 1, "they link to each other"
    told = noderag("show", "Marta Oliveira", "--vault", sample_vault, "--json").document
    assert (told["type"], told["entity"]["type"]) == ("D", "N")
    assert noderag("show", MARTA, "--vault", sample_vault, "--json").document["entity"] is None


def test_an_entity_with_the_sentences_that_name_it(noderag: Noderag, sample_vault: Path) -> None:
    told = noderag("show", "Borealis", "--vault", sample_vault, "--json").document
    assert told["type"] == "N"
    assert len(told["passages"]) >= 2
    assert told["neighbours"]


def test_a_source_by_its_line(noderag: Noderag, sample_vault: Path) -> None:
    shown = noderag("show", f"{MARTA}:16", "--vault", sample_vault).out
    assert "severely allergic" in shown


def test_a_source_by_its_line_and_the_end_of_its_path(noderag: Noderag, sample_vault: Path) -> None:
    shown = noderag("show", "people/marta.md:16", "--vault", sample_vault)
    assert "severely allergic" in shown.out
    empty = noderag("show", "people/marta.md:7", "--vault", sample_vault)
    assert empty.code == 7
    assert "Line 7 of people/marta.md has no text" in empty.err


def test_a_name_that_is_nearly_right_is_put_right(noderag: Noderag, sample_vault: Path) -> None:
    done = noderag("show", "Marta Olivera", "--vault", sample_vault)
    assert done.code == 7
    assert "Marta Oliveira" in done.err


def test_stats_count_everything(noderag: Noderag, sample_vault: Path) -> None:
    told = noderag("stats", "--vault", sample_vault, "--json").document
    notes = [path for path in notes_folder().rglob("*") if path.is_file()]
    assert told["files"] == told["documents"] == len(notes)
    assert told["embeddings"] == told["chunks"] + told["sentences"]
    shown = noderag("stats", "--vault", sample_vault).out
    assert re.search(rf"^sentences +{told['sentences']}$", shown, re.MULTILINE)
    assert str(sample_vault) in shown
    assert told["vault"] == str(sample_vault)


def test_stats_show_no_type_that_the_vault_has_none_of(noderag: Noderag, sample_vault: Path) -> None:
    shown = noderag("stats", "--vault", sample_vault).out
    assert re.search(r"^nodes: entity +[1-9]", shown, re.MULTILINE)
    assert not re.search(r"^(nodes|edges): .* 0$", shown, re.MULTILINE)
