"""Bringing a model from a stick, and checking those that are there."""

import hashlib
import os
from pathlib import Path

import pytest
from helpers.tiny_gguf import gguf

from noderag_local.config import default_models_dir
from noderag_local.domain.errors import ModelDamaged, ModelError, ModelMissing
from noderag_local.models.llm.gguf_files.add_model import add_model
from noderag_local.models.llm.gguf_files.catalog import find_entry
from noderag_local.models.llm.gguf_files.hashes import noted_hash
from noderag_local.models.llm.gguf_files.installed import ModelFinding, check_models
from noderag_local.models.llm.gguf_files.part_file import Silent

SMALLEST = "qwen2.5-coder-0.5b-instruct-q4_k_m"


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    folder = tmp_path / "stick"
    folder.mkdir()
    return folder


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def findings(models: Path) -> dict[str, ModelFinding]:
    return {finding.path.name: finding for finding in check_models(models, Silent())}


class TestAdding:
    def test_a_file_is_copied_under_its_own_name_and_its_hash_noted(self, stick: Path, models: Path) -> None:
        file = written(stick, "Mine Q4.gguf", gguf())
        path, entry = add_model(file, models, Silent())
        assert (path, entry) == (models / "Mine Q4.gguf", None)
        assert path.read_bytes() == file.read_bytes()
        assert noted_hash(path) == hashlib.sha256(gguf()).hexdigest()
        assert not [name for name in os.listdir(models) if name.endswith(".part")]

    def test_adding_it_again_changes_nothing(self, stick: Path, models: Path) -> None:
        file = written(stick, "mine.gguf", gguf())
        assert add_model(file, models, Silent()) == add_model(file, models, Silent())

    @pytest.mark.parametrize("data", [gguf()[:-1], gguf()[:50], b"", b"no model"])
    def test_a_damaged_file_is_refused_by_its_name(self, stick: Path, models: Path, data: bytes) -> None:
        with pytest.raises(ModelDamaged, match=r"stick.mine\.gguf"):
            add_model(written(stick, "mine.gguf", data), models, Silent())
        assert not models.exists()

    def test_a_file_that_is_not_there_is_named(self, stick: Path, models: Path) -> None:
        with pytest.raises(ModelMissing, match=r"nothing\.gguf"):
            add_model(stick / "nothing.gguf", models, Silent())

    def test_a_pipe_is_refused_at_once(self, stick: Path, models: Path) -> None:
        os.mkfifo(stick / "mine.gguf")
        with pytest.raises(ModelDamaged, match="is no file"):
            add_model(stick / "mine.gguf", models, Silent())

    def test_another_file_of_the_same_name_is_not_overwritten(self, stick: Path, models: Path) -> None:
        add_model(written(stick, "mine.gguf", gguf()), models, Silent())
        with pytest.raises(ModelError, match=r"noderag models rm mine\.gguf"):
            add_model(written(stick, "mine.gguf", gguf({"general.name": "Other"})), models, Silent())
        assert (models / "mine.gguf").read_bytes() == gguf()

    def test_a_name_of_the_catalogue_with_other_contents_is_refused(self, stick: Path, models: Path) -> None:
        with pytest.raises(ModelDamaged, match=rf"name of the catalogue's {SMALLEST}"):
            add_model(written(stick, f"{SMALLEST}.gguf", gguf()), models, Silent())
        assert os.listdir(models) == []

    def test_what_a_killed_copy_left_is_written_over(self, stick: Path, models: Path) -> None:
        models.mkdir()
        written(models, ".adding-mine.gguf.part", b"half of something else")
        path, _ = add_model(written(stick, "mine.gguf", gguf()), models, Silent())
        assert path.read_bytes() == gguf()
        assert not (models / ".adding-mine.gguf.part").exists()

    def test_a_file_that_the_user_put_there_is_verified_in_place(self, models: Path) -> None:
        models.mkdir()
        path, entry = add_model(written(models, "mine.gguf", gguf()), models, Silent())
        assert (path, entry) == (models / "mine.gguf", None)
        assert noted_hash(path)

    def test_a_folder_that_cannot_be_made_is_named(self, stick: Path, tmp_path: Path) -> None:
        blocked = written(tmp_path, "a file", b"")
        with pytest.raises(ModelError, match="a file"):
            add_model(written(stick, "mine.gguf", gguf()), blocked, Silent())

    @pytest.mark.real
    def test_a_file_of_the_catalogue_gets_its_name_whatever_it_is_called(self, stick: Path, models: Path) -> None:
        real = default_models_dir() / find_entry(SMALLEST).file_name
        if not real.exists():
            pytest.skip(f"{real.name} is not installed")
        (stick / "renamed.gguf").symlink_to(real)
        path, entry = add_model(stick / "renamed.gguf", models, Silent())
        assert entry is find_entry(SMALLEST)
        assert path.name == entry.file_name
        assert findings(models)[path.name].message == "SHA-256 is right"
        path.unlink()  # half a gigabyte, which pytest would keep


class TestChecking:
    def test_files_are_good_with_or_without_a_known_hash(self, stick: Path, models: Path) -> None:
        add_model(written(stick, "noted.gguf", gguf()), models, Silent())
        written(models, "found.gguf", gguf())
        found = findings(models)
        assert found["noted.gguf"] == ModelFinding(models / "noted.gguf", True, "SHA-256 is right")
        assert found["found.gguf"].good
        assert "not known" in found["found.gguf"].message

    def test_a_file_that_changed_since_it_came_is_damaged(self, stick: Path, models: Path) -> None:
        path, _ = add_model(written(stick, "mine.gguf", gguf()), models, Silent())
        path.write_bytes(gguf()[:-1] + b"\xff")
        finding = findings(models)["mine.gguf"]
        assert not finding.good
        assert "noderag models rm mine.gguf" in finding.message

    def test_a_file_of_the_catalogue_is_held_to_its_hash(self, models: Path) -> None:
        models.mkdir()
        finding_of = written(models, f"{SMALLEST}.gguf", gguf())
        finding = findings(models)[finding_of.name]
        assert not finding.good
        assert f"noderag models get {SMALLEST}" in finding.message

    def test_a_cut_file_and_an_unfinished_download_are_told_apart(self, models: Path) -> None:
        models.mkdir()
        written(models, "cut.gguf", gguf()[:-5])
        written(models, "coming.gguf.part", gguf()[:-5])
        found = findings(models)
        assert not found["cut.gguf"].good
        assert found["coming.gguf.part"].good
        assert "noderag models get coming resumes it" in found["coming.gguf.part"].message

    def test_the_embedding_model_is_checked_too(self, models: Path) -> None:
        assert findings(models)["model.safetensors"].good
