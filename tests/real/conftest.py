"""Real models: the default GGUF, opened once for the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelMissing
from noderag_local.models.llm.gguf_files.installed import resolve_model

if TYPE_CHECKING:
    from noderag_local.models.llm.llamacpp.llama import LlamaEngine


@pytest.fixture(scope="session")
def model_file() -> Path:
    """The GGUF that answers by default; `scripts/test` fetches it."""
    try:
        return resolve_model("", load_settings().models_dir)
    except ModelMissing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def engine(model_file: Path) -> Iterator[LlamaEngine]:
    from noderag_local.models.llm.llamacpp.llama import LlamaEngine

    opened = LlamaEngine(model_file)
    yield opened
    opened.close()
