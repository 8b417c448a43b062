"""`noderag ask` without a language model; tests/real asks the real one."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_line import Noderag


def test_the_passages_answer_with_their_places_and_one_line_on_models(noderag: Noderag, sample_vault: Path) -> None:
    done = noderag("ask", "What is Marta allergic to?", "--vault", sample_vault)
    assert done.code == 0
    assert "shellfish" in done.out
    assert "marta.md:" in done.out
    assert done.out.count("noderag models") >= 1


def test_as_a_document(noderag: Noderag, sample_vault: Path) -> None:
    told = noderag("ask", "What is Marta allergic to?", "--vault", sample_vault, "--no-llm", "--json").document
    assert "shellfish" in told["answer"]
    assert told["model"] == ""
    assert told["abstained"] is False
    assert any(source["cited"] for source in told["sources"])
    assert told["citations"][0]["supported"] is True
    assert told["stats"]["completion"] is None


def test_only_a_part_of_the_notes_is_asked(noderag: Noderag, sample_vault: Path) -> None:
    asked = ("ask", "What is Marta allergic to?", "--vault", sample_vault, "--no-llm", "--json")
    assert "shellfish" in noderag(*asked, "--folder", "people", "--tag", "#people").document["answer"]
    elsewhere = noderag(*asked, "--folder", "recipes").document
    assert all("/recipes/" in source["path"] for source in elsewhere["sources"])
    assert not any(source["path"].endswith("marta.md") for source in elsewhere["sources"])


def test_a_model_that_was_chosen_and_is_not_there(
    noderag: Noderag, sample_vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODERAG_MODEL", "gone.gguf")
    done = noderag("ask", "What is Marta allergic to?", "--vault", sample_vault)
    assert done.code == 6
    assert "gone.gguf" in done.err
    assert noderag("ask", "What is Marta allergic to?", "--vault", sample_vault, "--no-llm").code == 0
