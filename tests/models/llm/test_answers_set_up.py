"""How far the set-up of answers is, as its file says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import noderag_local
from noderag_local.models.llm.answers_set_up import BROKEN_OFF, NO_SET_UP, AnswersSetUp, read_set_up

WITHOUT_LLAMA = """
import sys
from pathlib import Path
sys.modules["llama_cpp"] = None
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "llama_cpp" else real(name)
del sys.modules["llama_cpp"]
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "llama_cpp":
            raise ModuleNotFoundError(f"No module named {name!r}")
sys.meta_path.insert(0, Hidden())

from noderag_local import ModelMissing, Vault, load_settings
from noderag_local.models.language_model import LanguageModel

folder = Path(sys.argv[1])
settings = load_settings(vault=folder / "vault", models_dir=folder / "models")
model = LanguageModel(settings)
assert model.name() == ""
assert model.engine() is None
model.count_exactly()
try:
    model.needed()
except ModelMissing as error:
    assert "llama.cpp is not installed" in str(error), error
else:
    raise AssertionError("there was a model")
with Vault(settings.vault, settings) as vault:
    assert vault.index([folder / "notes"]).added == 1
    assert "Oslo" in vault.search("Where does Ann Lee live?").context
    answer = vault.ask("Where does Ann Lee live?")
    assert "Oslo" in "".join(answer)
    assert answer.result.model == ""
"""
"""Indexes, searches and asks where a model file is installed, but llama.cpp is not."""


def write(file: Path, is_over: bool = False, parts: object = None, problems: object = ()) -> None:
    file.write_text(json.dumps({"is_over": is_over, "parts": parts or {}, "problems": problems}), encoding="utf-8")


def test_it_tells_the_share_of_each_part_that_is_done(tmp_path: Path) -> None:
    file = tmp_path / "set-up.json"
    write(file, parts={"compiling llama.cpp": [87, 193], "fetching the language model": [0, 0]})
    state = read_set_up(file)
    assert state.is_at_work
    assert state.line == "compiling llama.cpp 45 %, fetching the language model"


def test_its_end_tells_what_failed(tmp_path: Path) -> None:
    file = tmp_path / "set-up.json"
    write(file, is_over=True, problems=["no compiler"])
    assert read_set_up(file) == AnswersSetUp(False, (), ("no compiler",))


def test_one_that_was_killed_is_not_at_work(tmp_path: Path) -> None:
    file = tmp_path / "set-up.json"
    write(file, parts={"compiling llama.cpp": [87, 193]})
    before = time.time() - 3600
    os.utime(file, (before, before))
    assert read_set_up(file) == BROKEN_OFF


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"is_over": false}', '{"is_over": false, "parts": {"a": [1]}, "problems": []}']
)
def test_a_file_that_is_no_state_is_no_set_up(tmp_path: Path, text: str) -> None:
    file = tmp_path / "set-up.json"
    file.write_text(text, encoding="utf-8")
    assert read_set_up(file) == NO_SET_UP


def test_no_file_is_no_set_up(tmp_path: Path) -> None:
    assert read_set_up(tmp_path / "set-up.json") == NO_SET_UP


def test_all_but_answers_works_without_llama_cpp(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Oslo.md").write_text("# Oslo\n\nAnn Lee lives in Oslo.\n", "utf-8")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").write_bytes(b"GGUF")
    root = Path(noderag_local.__file__).parents[1]
    command = [sys.executable, "-c", WITHOUT_LLAMA, str(tmp_path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
