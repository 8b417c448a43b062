"""A vault with notes that one server may show and notes that it may not."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.mcp_notes import NOTES

from noderag_local.interfaces.cli.run_command import run


@pytest.fixture(scope="session")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mcp") / "notes"
    for name, text in NOTES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def vault(notes: Path) -> Path:
    """Not to be written to."""
    folder = notes.parent / "vault"
    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("NODERAG_SETTINGS", str(folder.parent / "none.toml"))
        variables.setenv("NODERAG_MODELS_DIR", str(folder.parent))
        assert run(["index", str(notes), "--vault", str(folder)]) == 0
    return folder


@pytest.fixture(autouse=True)
def no_language_model(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Answers are passages, so that these tests take no minutes."""
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(tmp_path_factory.getbasetemp() / "no-models"))
