"""`--json`: a program finds one document on the standard output, whatever the command did."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers.command_line import Noderag, answered, commands

from noderag_local.interfaces.cli.questions.demo_command import notes_folder

NOTE = str(notes_folder() / "people" / "marta.md")
WITH_JSON = [command for command in commands() if "--json" in command.options]


@pytest.fixture
def vault(sample_vault: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample_vault, tmp_path / "vault"))


@pytest.mark.parametrize(
    ("answer", "words", "told"),
    [
        ("n", ["restore"], {"backup": None, "aside": None, "accepted": False}),
        ("n", ["restore", "--accept"], {"backup": None, "aside": None, "accepted": False}),
        ("n", ["forget", NOTE], {"files": 0}),
        ("none", ["forget", "--query", "Mietvertrag"], {"files": 0, "documents": 0, "stopped": False}),
        ("n", ["names", "merge", "Porto", "Leipzig"], {"apart": []}),
        ("", ["decrypt"], {"encrypted": False, "backups": 0, "left": [], "stopped": False}),
    ],
)
def test_who_changes_nothing_is_told_so_in_a_document(
    vault: Path, answer: str, words: list[str], told: dict[str, Any]
) -> None:
    done = answered(f"{answer}\n", *words, "--vault", vault, "--json")
    document = json.loads(done.stdout)
    assert document["vault"] == str(vault)
    assert document | told == document


def test_a_person_who_keeps_the_encryption_is_told_so_in_a_document(
    noderag: Noderag, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("open sesame\n", "utf-8")
    monkeypatch.setenv("NODERAG_PASSPHRASE_FILE", str(secret))
    assert noderag("encrypt", "--passphrase-file", secret, "--vault", vault, "--json").document["encrypted"]
    assert json.loads(answered("n\n", "decrypt", "--vault", vault, "--json").stdout)["encrypted"]
    assert not noderag("decrypt", "--yes", "--vault", vault, "--json").document["encrypted"]


@pytest.mark.parametrize("command", WITH_JSON, ids=lambda command: command.name)
def test_wrong_usage_is_a_document(noderag: Noderag, command: Any) -> None:
    done = noderag(*command.words, "--no-such-option", "--json")
    assert (done.code, list(done.document)) == (2, ["error"])
