"""`noderag convert`, from a data set's file to scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command_line import Noderag

QUESTION = {
    "_id": "1",
    "question": "Where was the builder of the Heron born?",
    "answer": "Oslo",
    "supporting_facts": [["Heron", 1], ["Ann Lee", 0]],
    "context": [
        ["Heron", ["The Heron is a ferry.", " It was built by Ann Lee in 1911."]],
        ["Ann Lee", ["Ann Lee was born in Oslo."]],
        ["Pike", ["The pike is a fish.", " It lives in slow rivers."]],
    ],
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([QUESTION, {"_id": "2"}]), encoding="utf-8")
    return path


def test_what_is_converted_can_be_scored_with_the_command_that_is_told(
    noderag: Noderag, source: Path, tmp_path: Path
) -> None:
    done = noderag("convert", "hotpotqa", source, "--to", tmp_path / "hotpot")
    assert done.code == 0, done.err
    assert f"{source}, line 1: entry 2 has no field 'context'" in " ".join(done.err.split())
    counts, command = done.out.splitlines()
    assert counts == "1 question about 3 paragraphs. Now:"
    words = command.removeprefix("noderag ").split()
    (score,) = noderag(*words, "--vault", tmp_path / "v", "--budgets", "200", "--json").document
    assert (score["recall_at_5"], score["supported"]) == (100, 100)


def test_for_programs_and_a_folder_that_has_the_files(noderag: Noderag, source: Path, tmp_path: Path) -> None:
    words = ("convert", "hotpotqa", source, "--to", tmp_path / "hotpot")
    made = noderag(*words, "--json").document
    assert (made["asked"], made["paragraphs"], made["corpus"]) == (1, 3, str(tmp_path / "hotpot" / "corpus.jsonl"))
    assert [(one["line"], one["number"]) for one in made["rejected"]] == [(1, 2)]
    again = noderag(*words)
    assert again.code == 3
    assert "--force" in again.err
    assert noderag(*words, "--force").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("squad", "a.json"), "there is no format 'squad'"),
        (("hipporag", "a.json"), "has 2 files, such as musique.json"),
    ],
)
def test_a_wrong_format_or_number_of_files(noderag: Noderag, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = noderag("convert", *words, "--to", tmp_path)
    assert done.code == 2
    assert said in " ".join(done.err.split())
