from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.config import Settings
from noderag_local.interfaces.cli.questions.demo_command import notes_folder
from noderag_local.vault.vault import Vault


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault of the sample notes; not to be written to."""
    folder = tmp_path_factory.mktemp("sample")
    with Vault(folder / "vault", Settings(models_dir=folder / "none")) as opened:
        opened.index([notes_folder()])
    return folder / "vault"
