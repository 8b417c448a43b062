"""Single tensors are read as the library reads them, and a damaged file is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from noderag_local.domain.errors import ModelDamaged
from noderag_local.models.embedding.weights_file import WeightsFile


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_tensors_and_rows_are_those_that_were_written(tmp_path: Path, kind: type[np.floating]) -> None:
    matrix = np.random.default_rng(1).standard_normal((7, 5)).astype(kind)
    save_file({"words": matrix, "bias": matrix[0].copy(), "ids": np.arange(3)}, tmp_path / "model.safetensors")
    file = WeightsFile(tmp_path / "model.safetensors")
    assert sorted(file.names) == ["bias", "words"], "whole numbers are no weights"
    assert file.tensor("words").dtype == np.float32
    assert file.tensor("words").tolist() == matrix.astype(np.float32).tolist()
    assert file.rows("words", [6, 0, 6]).tolist() == matrix[[6, 0, 6]].astype(np.float32).tolist()


@pytest.mark.parametrize("content", [b"", b"no weights at all", b"\xff" * 40])
def test_a_file_of_something_else_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelDamaged, match=r"model\.safetensors"):
        WeightsFile(tmp_path / "model.safetensors")


def test_a_file_that_ends_too_early_is_told(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"words": np.ones((50, 4), np.float32)}, path)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ModelDamaged, match="cut short"):
        WeightsFile(path).tensor("words")
