"""`noderag search` over the sample notes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.command_line import Noderag

from noderag_local.interfaces.cli.questions.demo_command import notes_folder

QUESTION = "Who keeps the disk Borealis?"


def test_sources_come_with_number_place_and_text(noderag: Noderag, sample_vault: Path) -> None:
    done = noderag("search", QUESTION, "--vault", sample_vault)
    assert done.code == 0
    first = done.out.splitlines()[0]
    assert first.startswith("[1] ")
    assert ".md:" in first
    assert "Jonas" in done.out
    assert "tokens, noderag, " in done.out.splitlines()[-1]


def test_a_question_needs_no_quotes(noderag: Noderag, sample_vault: Path) -> None:
    done = noderag("search", *QUESTION.split(), "--vault", sample_vault, "--limit", "1")
    assert done.code == 0 and done.out.startswith("[1] ")
    asked = noderag("ask", *QUESTION.split(), "--no-llm", "--json", "--vault", sample_vault).document
    assert asked["question"] == QUESTION
    assert noderag("show", "Marta", "Oliveira", "--vault", sample_vault).out.startswith("Marta Oliveira  document")


def test_a_question_without_a_command_is_told_how_to_ask_it(noderag: Noderag) -> None:
    done = noderag(QUESTION)
    assert done.code == 2 and f'noderag ask "{QUESTION}"' in done.err


def test_the_place_of_a_source_can_be_opened(noderag: Noderag, sample_vault: Path) -> None:
    found = noderag("search", QUESTION, "--vault", sample_vault, "--json").document
    for source in found["sources"]:
        lines = Path(source["path"]).read_text(encoding="utf-8").splitlines()
        part = "\n".join(lines[source["first_line"] - 1 : source["last_line"]])
        assert source["text"].split()[-1].strip(".`#") in part


def test_the_context_is_exactly_what_a_model_would_get(noderag: Noderag, sample_vault: Path) -> None:
    found = noderag("search", QUESTION, "--vault", sample_vault, "--json").document
    shown = noderag("search", QUESTION, "--vault", sample_vault, "--context").out
    assert shown.rstrip("\n") == found["context"].rstrip("\n")


@pytest.mark.parametrize("method", ["noderag", "noderag-paper", "naive", "bm25"])
def test_every_method_keeps_to_the_limit(noderag: Noderag, sample_vault: Path, method: str) -> None:
    words = ("search", QUESTION, "--vault", sample_vault, "--method", method, "--json")
    found = noderag(*words, "--limit", 2).document
    assert [source["number"] for source in found["sources"]] == [1, 2]
    assert found["sources"][0]["path"] == noderag(*words).document["sources"][0]["path"]
    assert {one["source"] for one in found["ranked"]} == {1, 2}
    assert "[2]" in found["context"] and "[3]" not in found["context"]


@pytest.mark.parametrize("method", ["noderag", "noderag-paper", "naive", "bm25"])
def test_every_method_keeps_to_the_budget(noderag: Noderag, sample_vault: Path, method: str) -> None:
    words = ("search", QUESTION, "--vault", sample_vault, "--method", method, "--budget", 120, "--json")
    found = noderag(*words).document
    assert found["method"] == method
    assert 0 < found["context_tokens"] <= found["budget_tokens"] == 120


@pytest.mark.parametrize("method", ["noderag", "noderag-paper", "naive", "bm25"])
def test_a_scope_keeps_to_part_of_the_notes(noderag: Noderag, sample_vault: Path, method: str) -> None:
    folder = notes_folder() / "people"
    words = ("search", QUESTION, "--vault", sample_vault, "--method", method, "--folder", folder, "--json")
    sources = noderag(*words).document["sources"]
    assert sources
    assert all(Path(source["path"]).is_relative_to(folder) for source in sources)


def test_a_scope_that_holds_nothing(noderag: Noderag, sample_vault: Path) -> None:
    none_then = noderag("search", QUESTION, "--vault", sample_vault, "--until", "1990")
    assert none_then.code == 0
    assert "Nothing in the vault fits this question" in none_then.out
    unknown = noderag("search", QUESTION, "--vault", sample_vault, "--tag", "peeple")
    assert unknown.code == 7
    assert "people" in unknown.err
    for wrong in (("--since", "last week"), ("--since", "2024", "--until", "2023")):
        assert noderag("search", QUESTION, "--vault", sample_vault, *wrong).code == 2


def test_why_tells_where_the_search_started_and_how_scores_come_about(noderag: Noderag, sample_vault: Path) -> None:
    shown = noderag("search", QUESTION, "--vault", sample_vault, "--why").out
    assert "The search started from" in shown
    assert "What is in the context, by score:" in shown


def test_the_chinese_note_is_found_in_chinese(noderag: Noderag, sample_vault: Path) -> None:
    first = noderag("search", "王薇的老家在哪里？", "--vault", sample_vault, "--json").document["sources"][0]
    assert first["path"] == str(notes_folder() / "recipes" / "饺子.md")


def test_a_vault_that_was_never_made(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("search", QUESTION, "--vault", tmp_path / "none")
    assert done.code == 4
    assert "noderag index" in done.err
    assert (
        noderag("search", QUESTION, "--vault", tmp_path / "none", "--json").document["error"]["type"] == "VaultMissing"
    )


def test_a_method_that_does_not_exist_is_told_the_others(noderag: Noderag, sample_vault: Path) -> None:
    done = noderag("search", QUESTION, "--vault", sample_vault, "--method", "oracle")
    assert done.code == 2
    assert "noderag-paper" in done.err


def test_set_changes_the_method_of_this_search(noderag: Noderag, sample_vault: Path) -> None:
    words = ("search", QUESTION, "--vault", sample_vault, "--method", "ket", "--json")
    assert noderag(*words, "--set", "theta=0.6", "--set", "beta=0.5").document["method"] == "ket(beta=0.5, theta=0.6)"
    wrong = noderag(*words, "--set", "theta=2")
    assert wrong.code == 2
    assert "theta=2 cannot be used" in wrong.document["error"]["message"]


def test_nonsense_leads_nowhere(noderag: Noderag, sample_vault: Path) -> None:
    done = noderag("search", "qwertzuiop", "--vault", sample_vault)
    assert done.code == 0
    assert "Nothing in the vault fits this question" in done.out
    found = noderag("search", "qwertzuiop", "--vault", sample_vault, "--json").document
    assert (found["sources"], found["ranked"], found["context"], found["context_tokens"]) == ([], [], "", 0)


@pytest.mark.parametrize("question", ["pet", "automobile", "Wann endet der Mietvertrag?", "What is Borealis?"])
def test_a_word_for_what_the_notes_call_otherwise_is_no_nonsense(
    noderag: Noderag, sample_vault: Path, question: str
) -> None:
    assert noderag("search", question, "--vault", sample_vault, "--json").document["sources"]


def test_a_question_from_standard_input(sample_vault: Path) -> None:
    def asked(text: bytes) -> subprocess.CompletedProcess[bytes]:
        words = ["search", "-", "--json", "--limit", "1", "--vault", str(sample_vault)]
        command = [sys.executable, "-m", "noderag_local", *words]
        return subprocess.run(command, input=text, capture_output=True, check=False, timeout=60)

    assert json.loads(asked(f"{QUESTION}\n".encode()).stdout)["question"] == QUESTION
    assert json.loads(asked(b"Borealis \xff?").stdout)["question"] == "Borealis \ufffd?"
    for wrong, told in ((b"\n", "it is empty"), (b"x" * 30_000, "noderag index FILE")):
        done = asked(wrong)
        assert done.returncode == 2
        assert told in json.loads(done.stdout)["error"]["message"]
