"""A models folder that is not there, and one that cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.unreachable import TOO_LONG, make_unreachable

from noderag_local.domain.errors import ModelError, ModelMissing
from noderag_local.models.embedding.embedding_model import embedding_model, multilingual_model
from noderag_local.models.llm.gguf_files.installed import (
    check_models,
    installed_models,
    resolve_model,
    unfinished_downloads,
)
from noderag_local.models.llm.gguf_files.model_list import listed_models
from noderag_local.models.llm.gguf_files.models_folder import files_in
from noderag_local.models.llm.gguf_files.part_file import Silent


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert files_in(tmp_path / "none") == files_in(tmp_path / "file") == []


@pytest.mark.parametrize(
    "ask",
    [
        installed_models,
        unfinished_downloads,
        lambda folder: resolve_model("", folder),
        lambda folder: resolve_model("mine", folder),
        lambda folder: listed_models("", folder),
        lambda folder: check_models(folder, Silent()),
        lambda folder: embedding_model("multilingual-e5-small", folder),
    ],
)
def test_one_that_cannot_be_read_is_named_with_the_reason(ask: Callable[[Path], object], tmp_path: Path) -> None:
    lost = make_unreachable(tmp_path / "models")
    with pytest.raises(ModelError) as told:
        ask(lost)
    assert type(told.value) is ModelError, "no model is missing or damaged as far as anybody knows"
    for part in (str(lost), "File name too long", "models_dir"):
        assert part in str(told.value)


def test_the_model_that_is_installed_compares_meanings_without_the_folder(tmp_path: Path) -> None:
    assert multilingual_model(make_unreachable(tmp_path / "models")) is None


@pytest.mark.parametrize("model_of", [resolve_model, embedding_model])
def test_a_name_that_no_file_can_have_names_no_model(model_of: Callable[[str, Path], object], tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        model_of(TOO_LONG, tmp_path)
