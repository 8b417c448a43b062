"""The real application over a real vault of the sample notes; the language model is scripted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from interfaces.tui.people_notes import indexed, write_people

import noderag_local
from noderag_local.config import Settings, load_settings
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.session import Session
from noderag_local.models.language_model import LanguageModel
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.vault import Vault

NOTES = Path(noderag_local.__file__).parent / "evaluation" / "demo" / "notes"


class ScriptedModel(LanguageModel):
    """A language model whose answers the test has written."""

    def __init__(self, settings: Settings, scripted: ScriptedEngine | None) -> None:
        super().__init__(settings)
        self.scripted = scripted

    def name(self) -> str:
        return self.scripted.name if self.scripted else super().name()

    def engine(self) -> ScriptedEngine | None:  # type: ignore[override]
        return self.scripted

    def count_exactly(self) -> None:
        """Its words are its tokens."""

    def close(self) -> None:
        """There is nothing to give back."""


@pytest.fixture(scope="session")
def sample_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample notes, indexed once."""
    folder = tmp_path_factory.mktemp("sample") / "vault"
    with Vault(folder, load_settings(models_dir=folder / "no-models")) as vault:
        vault.index([NOTES])
    return folder


@pytest.fixture
def vault_folder(sample_vault: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed at will."""
    folder = tmp_path / "vault"
    shutil.copytree(sample_vault, folder)
    return folder


@pytest.fixture
def app_of(tmp_path: Path) -> Iterator[Callable[..., NoderagApp]]:
    """Makes the application: `app_of(folder)`, `app_of(folder, engine)`, `app_of(folder, theme="light")`."""
    sessions: list[Session] = []

    def make(folder: Path, engine: ScriptedEngine | None = None, **settings: object) -> NoderagApp:
        usual = {"vault": folder, "models_dir": tmp_path / "no-models", "follow_folders": False}
        chosen = load_settings(**{**usual, **settings})
        sessions.append(Session(chosen, lambda settings: ScriptedModel(settings, engine)))
        return NoderagApp(sessions[-1])

    yield make
    for session in sessions:
        session.close()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Two notes about people."""
    return write_people(tmp_path / "people")


@pytest.fixture
def people(tmp_path: Path, notes: Path) -> Path:
    """A vault of them."""
    return indexed(notes, tmp_path / "people-vault")


@pytest.fixture
def with_broken_note(people: Path, notes: Path) -> Path:
    """A note that cannot be read, written beside the others after they were indexed; gives that vault."""
    (notes / "broken.md").write_bytes(b"\x00\x01\x02" * 500)
    return people
