"""What the language model of some settings is called, before it is opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.tiny_gguf import gguf

from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelDamaged
from noderag_local.models.language_model import LanguageModel


def test_an_installed_file_is_called_by_its_name(tmp_path: Path) -> None:
    assert LanguageModel(load_settings(models_dir=tmp_path)).name() == ""
    (tmp_path / "mine.gguf").write_bytes(gguf())
    assert LanguageModel(load_settings(models_dir=tmp_path)).name() == "mine"


def test_a_server_is_called_by_its_model_or_its_address(tmp_path: Path) -> None:
    address = "http://127.0.0.1:8080/v1"
    assert LanguageModel(load_settings(models_dir=tmp_path, server_url=address)).name() == f"server {address}"
    named = load_settings(models_dir=tmp_path, server_url=address, server_model="qwen")
    assert LanguageModel(named).name() == "server qwen"


def test_a_folder_with_nothing_but_damaged_files_is_told(tmp_path: Path) -> None:
    (tmp_path / "cut.gguf").write_bytes(gguf()[:-1])
    with pytest.raises(ModelDamaged):
        LanguageModel(load_settings(models_dir=tmp_path)).name()
