"""`noderag ask` without a language model; tests/real asks the real one."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_line import Noderag


def test_the_passages_answer_with_their_places_and_one_line_on_models(noderag: Noderag, sample_vault: Path) -> None:
    done = noderag("ask", "Why is shellfish dangerous for Marta?", "--vault", sample_vault)
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
    done = noderag("ask", "Why is shellfish dangerous for Marta?", "--vault", sample_vault)
    assert done.code == 6
    assert "gone.gguf" in done.err
    assert noderag("ask", "Why is shellfish dangerous for Marta?", "--vault", sample_vault, "--no-llm").code == 0


def test_a_question_about_many_notes_is_computed(noderag: Noderag, tmp_path: Path) -> None:
    notes, vault = tmp_path / "Daily", tmp_path / "vault"
    notes.mkdir()
    for day, text in (("03-02", "Went swimming."), ("03-09", "No swimming today."), ("03-16", "Swam in the lake.")):
        (notes / f"2026-{day}.md").write_text(text, encoding="utf-8")
    assert noderag("index", notes, "--vault", vault).code == 0
    asked = ("ask", "How many times did I go swimming in March 2026?", "--vault", vault)
    done = noderag(*asked)
    assert done.out.startswith("2 times [1][2]\n")
    assert "Went swimming." in done.out
    assert "Left out: 1 sentence" in done.out
    told = noderag(*asked, "--json").document
    assert (told["answer"], told["model"], told["stats"]["method"]) == ("2 times [1][2]", "", "computed")
    assert all(source["cited"] for source in told["sources"])
    assert noderag(*asked, "--quiet").out == "2 times [1][2]\n"
    assert "2 times" not in noderag(*asked, "--method", "bm25").out
    assert noderag(*asked, "--since", "2026-03-10").out.startswith("1 time [1]\n")


def test_nonsense_is_answered_by_the_sentence_that_the_notes_do_not_tell(noderag: Noderag, sample_vault: Path) -> None:
    done = noderag("ask", "qwertzuiop", "--vault", sample_vault)
    assert (done.code, done.out.strip()) == (0, "Your notes do not tell.")
    told = noderag("ask", "qwertzuiop", "--vault", sample_vault, "--json")
    assert told.code == 0
    assert (told.document["abstained"], told.document["model"], told.document["sources"]) == (True, "", [])
