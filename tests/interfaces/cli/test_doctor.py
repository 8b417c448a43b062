"""`noderag doctor`: all in order is exit code 0, anything else 1 with what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers.command_line import Noderag
from helpers.model_server import serving
from helpers.tiny_gguf import gguf
from helpers.unreachable import make_unreachable

OLD = Path(__file__).parents[2] / "data" / "vaults" / "0.1.0"
QUESTION = "Who recommended the guest house in Porto?"


def test_a_whole_installation_and_vault(noderag: Noderag, sample_vault: Path) -> None:
    done = noderag("doctor", "--vault", sample_vault)
    assert (done.code, done.out.splitlines()[-1]) == (0, "All is in order.")
    for what in ("Python", "packages", "offline guard", "settings", "embedding model", "language model", "room"):
        assert f"ok   {what}: " in done.out
    assert "ok   cache search.arrays: fits the vault" in done.out


def test_before_anything_is_indexed(noderag: Noderag, tmp_path: Path) -> None:
    done = noderag("doctor", "--vault", tmp_path / "none")
    assert done.code == 0
    assert "noderag index ~/notes" in done.out


def test_a_damaged_model(noderag: Noderag, sample_vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cut.gguf").write_bytes(gguf()[:-1])
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(tmp_path))
    done = noderag("doctor", "--vault", sample_vault)
    assert done.code == 1
    assert "NOT  language model: " in done.out
    assert "noderag models rm cut.gguf" in done.out


def test_a_models_folder_that_cannot_be_read(
    noderag: Noderag, sample_vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = make_unreachable(tmp_path / "models")
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(lost))
    done = noderag("doctor", "--vault", sample_vault)
    assert done.code == 1
    assert f"The models folder {lost} cannot be read" in " ".join(done.out.split())


def test_a_damaged_vault(noderag: Noderag, tmp_path: Path, sample_vault: Path) -> None:
    for file in sample_vault.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(b"no database at all" * 500)
    done = noderag("doctor", "--vault", tmp_path, "--json")
    assert done.code == 1
    bad = [finding for finding in done.document if not finding["ok"]]
    assert [finding["what"] for finding in bad] == ["vault"]


@pytest.fixture
def old_vault(tmp_path: Path) -> Path:
    """A vault of version 0.1.0."""
    (tmp_path / "old").mkdir()
    shutil.copy(OLD / "vault.sqlite", tmp_path / "old")
    return tmp_path / "old"


def test_a_vault_of_the_first_version(noderag: Noderag, old_vault: Path) -> None:
    assert "Marta" in noderag("search", QUESTION, "--vault", old_vault).out
    assert noderag("doctor", "--vault", old_vault).out.splitlines()[-1] == "All is in order."


def test_a_vault_of_the_first_version_is_indexed(noderag: Noderag, old_vault: Path) -> None:
    done = noderag("index", OLD / "notes", "--vault", old_vault)
    assert done.code == 0, done.err
    assert "Marta" in noderag("search", QUESTION, "--vault", old_vault).out


def test_settings_that_cannot_be_used(noderag: Noderag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODERAG_BUDGET_TOKENS", "many")
    done = noderag("doctor", "--vault", tmp_path)
    assert done.code == 1
    assert "NOT  settings: " in done.out
    assert "budget_tokens" in done.out


def test_a_model_server(noderag: Noderag, sample_vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(models=[{"id": "/models/small.gguf", "max_model_len": 2048}]) as server:
        monkeypatch.setenv("NODERAG_SERVER_URL", server.url)
        done = noderag("doctor", "--vault", sample_vault)
    assert done.code == 0
    assert f"ok   model server: small answers at {server.url}; 2048 tokens of context, counts no tokens" in done.out
    done = noderag("doctor", "--vault", sample_vault)
    assert done.code == 1
    assert f"NOT  model server: The model server at {server.url}" in done.out
    assert "noderag ask --no-llm" in done.out
