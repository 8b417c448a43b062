"""`noderag models`, as a person and as a program use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.tiny_gguf import gguf
from typer.testing import CliRunner, Result

from noderag_local.domain.errors import ModelDamaged, ModelMissing
from noderag_local.interfaces.cli.machine.models_command import models_app
from noderag_local.models.llm.gguf_files.catalog import ModelRole, catalog, default_entry

COMMANDS = ["list", "get", "add", "check", "rm"]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.gguf"
    path.write_bytes(gguf())
    return path


def run(models: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(models_app, [*arguments, "--models-dir", str(models)], env={"COLUMNS": "200"})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def run_json(models: Path, *arguments: str) -> Any:
    return json.loads(run(models, *arguments, "--json").stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    shown = CliRunner().invoke(models_app, [command, "--help"]).stdout
    assert "Example: noderag models" in shown
    assert "--json" in shown
    assert "--models-dir" in shown


class TestList:
    def test_it_names_every_model_with_what_a_person_must_know(self, models: Path) -> None:
        shown = run(models, "list").stdout
        for entry in catalog():
            assert entry.name in shown
        chats = [entry for entry in catalog() if entry.role is ModelRole.CHAT]
        assert shown.count(" of memory · ") == len(chats), "what an open one takes"
        assert "Apache-2.0" in shown
        assert str(models) in shown

    def test_programs_get_the_same(self, models: Path, file: Path) -> None:
        run(models, "add", str(file))
        (models / "cut.gguf").write_bytes(gguf()[:-1])
        told = run_json(models, "list")
        rows = {row["name"]: row for row in told["models"]}
        assert told["models_dir"] == str(models)
        assert rows[default_entry().name]["installed"] is False
        assert rows[default_entry(ModelRole.EMBEDDING).name]["installed"] is True
        assert rows["mine.gguf"]["path"] == str(models / "mine.gguf")
        assert rows["mine.gguf"]["context_tokens"] == 4096
        assert "cut short" in rows["cut.gguf"]["problem"]

    def test_a_damaged_model_of_the_catalogue_is_one_row(self, models: Path) -> None:
        (models / default_entry().file_name).write_bytes(gguf()[:-1])
        rows = [row for row in run_json(models, "list")["models"] if row["name"].startswith(default_entry().name)]
        assert [(row["installed"], "cut short" in row["problem"]) for row in rows] == [(True, True)]
        assert "damaged" in run(models, "list").stdout

    def test_a_hostile_file_name_or_model_name_prints_no_control_characters(self, models: Path) -> None:
        name = "\x1b]0;owned\x07[red]m\u202eodel.gguf"
        (models / name).write_bytes(gguf({"general.name": "\x1b[2J[/blink]gone\x9b31m"}))
        shown = run(models, "list").stdout
        assert "gone" in shown
        assert not [character for character in shown if not character.isprintable() and character != "\n"]


class TestGet:
    def test_an_unknown_name_is_told_the_names(self, models: Path) -> None:
        with pytest.raises(ModelMissing, match=default_entry().name):
            run(models, "get", "gpt-9")

    @pytest.mark.real
    def test_a_model_that_is_there_is_verified_and_not_fetched(self) -> None:
        from noderag_local.config import default_models_dir

        folder = default_models_dir()
        if not (folder / default_entry().file_name).exists():
            pytest.skip("the default model is not installed")
        assert "verified by SHA-256" in run(folder, "get").stdout
        assert run_json(folder, "get")["sha256"] == default_entry().sha256


class TestAdd:
    def test_a_file_is_added_and_then_listed(self, models: Path, file: Path) -> None:
        assert "not in the catalogue" in run(models, "add", str(file)).stdout
        assert run_json(models, "add", str(file)) == {
            "name": "mine",
            "path": str(models / "mine.gguf"),
            "in_catalogue": False,
        }

    def test_a_damaged_file_is_an_error(self, models: Path, file: Path) -> None:
        file.write_bytes(gguf()[:-1])
        with pytest.raises(ModelDamaged, match=r"mine\.gguf is cut short"):
            run(models, "add", str(file))


class TestCheck:
    def test_all_good_is_exit_code_0(self, models: Path, file: Path) -> None:
        run(models, "add", str(file))
        result = run(models, "check")
        assert result.exit_code == 0
        assert "good  mine.gguf: SHA-256 is right" in result.stdout

    def test_a_damaged_file_is_exit_code_6_with_the_way_out(self, models: Path, file: Path) -> None:
        run(models, "add", str(file))
        (models / "mine.gguf").write_bytes(gguf()[:-1] + b"\xff")
        result = run(models, "check")
        assert result.exit_code == 6
        assert "noderag models rm mine.gguf" in result.stdout
        told = run(models, "check", "--json")
        assert told.exit_code == 6
        assert [row["ok"] for row in json.loads(told.stdout) if row["path"].endswith("mine.gguf")] == [False]


class TestRemove:
    def test_a_model_is_deleted(self, models: Path, file: Path) -> None:
        run(models, "add", str(file))
        assert run_json(models, "rm", "mine") == {"removed": [str(models / "mine.gguf")]}
        assert not (models / "mine.gguf").exists()

    def test_a_missing_one_is_an_error(self, models: Path) -> None:
        with pytest.raises(ModelMissing, match="there is: nothing"):
            run(models, "rm", "mine")
