"""A vault of the sample notes, made by the command itself, for every test that only reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_line import Done, Noderag

from noderag_local.interfaces.cli.questions.demo_command import notes_folder
from noderag_local.interfaces.cli.run_command import run


@pytest.fixture
def noderag(capsys: pytest.CaptureFixture[str]) -> Noderag:
    """Runs `noderag` with the given words."""

    def command(*words: object) -> Done:
        capsys.readouterr()
        code = run([str(word) for word in words])
        told = capsys.readouterr()
        return Done(code, told.out, told.err)

    return command


@pytest.fixture(autouse=True)
def no_language_model(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Answers are the passages themselves, so that these tests take no minutes; tests/real has the models."""
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(tmp_path_factory.getbasetemp() / "no-models"))
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture(scope="session")
def sample_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not to be written to."""
    folder = tmp_path_factory.mktemp("sample") / "vault"
    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("NODERAG_SETTINGS", str(folder.parent / "none.toml"))
        variables.setenv("NODERAG_MODELS_DIR", str(folder.parent))
        assert run(["index", str(notes_folder()), "--vault", str(folder)]) == 0
    return folder
