"""One vault with the excerpt of MuSiQue, read by the real model, for all tests of searching."""

from __future__ import annotations

from collections.abc import Iterator

import musique
import pytest

from noderag_local.config import load_settings
from noderag_local.vault import Vault


@pytest.fixture(scope="session")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """Searched only: no test may change it."""
    settings = load_settings(models_dir=tmp_path_factory.mktemp("no-models"))
    with Vault(tmp_path_factory.mktemp("musique"), settings) as made:
        made.index([musique.CORPUS])
        yield made
