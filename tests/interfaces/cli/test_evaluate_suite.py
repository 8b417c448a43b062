"""`noderag eval --suite` from a folder of corpora to the matrix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command_line import Noderag

NOTES = {
    "heron.md": "# Heron\n\nThe Heron is a ferry. It was built by Ann Lee in the year 1911.\n",
    "pike.md": "# Pike\n\nThe pike is a fish. It lives in slow rivers with many reeds.\n",
}
FISH = [{"id": "1", "question": "Where does the pike live?", "kind": "where", "evidence": ["It lives in slow rivers."]}]
SHIP = [{"id": "2", "question": "Who built the Heron?", "kind": "who", "answer": "Ann Lee", "sources": ["heron.md"]}]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    for name, questions in (("fish", FISH), ("ships", SHIP)):
        (folder / name / "notes").mkdir(parents=True)
        for note, text in NOTES.items():
            (folder / name / "notes" / note).write_text(text, encoding="utf-8")
        (folder / name / "qa.json").write_text(json.dumps(questions), encoding="utf-8")
    (folder / "fish" / "qa-open.json").write_text('[{"id": "3", "question": "Why?"}]', encoding="utf-8")
    return folder


def test_every_corpus_is_run_and_its_vault_is_kept(noderag: Noderag, suite: Path, tmp_path: Path) -> None:
    done = noderag("eval", "--suite", suite, "--vault", tmp_path / "vaults", "--budgets", "200")
    assert done.code == 0, done.err
    heading, fish, ships, *_ = done.out.splitlines()
    assert heading.split()[:4] == ["corpus", "budget", "n", "measure"]
    assert {line.split()[0]: line.split()[1:7] for line in (fish, ships)} == {
        "fish": ["200", "1", "recall", "100.0", "100.0", "100.0"],
        "ships": ["200", "1", "files", "100.0", "100.0", "100.0"],
    }
    assert "fish\nkind" in done.out
    assert "Mean margin of noderag: +0.0" in done.out
    assert "qa-open.json is left out" in done.err
    assert sorted(path.name for path in (tmp_path / "vaults").iterdir()) == ["fish", "ships"]
    again = noderag("eval", "--suite", suite, "--vault", tmp_path / "vaults", "--budgets", "200", "--methods", "hippo")
    assert "Indexed" in done.err
    assert "Indexed" not in again.err
    assert again.out.split()[4:8] == ["noderag", "bm25", "naive", "hippo"]


def test_the_matrix_for_programs_at_the_budgets_of_a_suite(noderag: Noderag, suite: Path, tmp_path: Path) -> None:
    document = noderag("eval", "--suite", suite, "--vault", tmp_path / "vaults", "--json").document
    assert [row["budget_tokens"] for row in document["rows"] if row["name"] == "ships"] == [500, 1000, 2000]
    assert document["default"] == "noderag"
    assert document["mean_margin"] == 0
    assert [rows[0]["kind"] for rows in document["kinds"]] == ["where", "who"]
    assert len(document["left_out"]) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--suite", "folder", "--corpus", "notes", "--lines"), "takes no --corpus, --lines"),
        (("--suite", "folder", "--dump", "run.jsonl"), "takes no --dump"),
        (("qa.json",), "--suite"),
        ((), "--suite"),
    ],
)
def test_either_one_corpus_or_a_suite(noderag: Noderag, words: tuple[str, ...], said: str) -> None:
    done = noderag("eval", *words)
    assert done.code == 2
    assert said in done.err


def test_a_folder_that_is_no_suite(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("eval", "--suite", tmp_path)
    assert done.code == 3
    assert "noderag help benchmarks" in done.err
