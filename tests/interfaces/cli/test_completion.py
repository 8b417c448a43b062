"""What the tab key completes, and where the scripts for it go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.command_line import Noderag

COMPLETE = """
eval "$(noderag completion bash)"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_noderag_completion noderag
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `noderag`, as a shell finds it."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "noderag"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m noderag_local "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["mod"], ["models"]),
        (["search", "--li"], ["--limit"]),
        (["--vault", "x", "stat"], ["stats"]),
        (["search", "x", "--method", "light-g"], ["light-global", "light-global-llm"]),
        (["methods", "bm"], ["bm25"]),
        (["help", "priv"], ["privacy"]),
        (["models", "get", "qwen3-4b"], ["qwen3-4b-instruct-2507-q4_k_m"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        # Nothing of its own: the shell then completes files.
        (["index", "no"], [""]),
        (["ask", ""], [""]),
    ],
    ids=" ".join,
)
def test_bash_completes(programs: Path, words: list[str], found: list[str]) -> None:
    variables = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    command = ["bash", "-c", COMPLETE, "bash", "noderag", *words]
    done = subprocess.run(
        command, capture_output=True, text=True, env=variables, stdin=subprocess.DEVNULL, check=True, timeout=60
    )
    assert (done.stdout.splitlines(), done.stderr) == (found, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed(noderag: Noderag, shell: str) -> None:
    done = noderag("completion", shell)
    assert done.code == 0
    assert "noderag" in done.out and f"complete_{shell}" in done.out
    assert noderag("completion", shell, "--json").document["script"] == done.out.rstrip("\n")


@pytest.mark.parametrize(
    ("shell", "file"),
    [
        ("bash", ".bash_completions/noderag.sh"),
        ("zsh", ".zfunc/_noderag"),
        ("fish", ".config/fish/completions/noderag.fish"),
    ],
)
def test_it_is_put_where_the_shell_looks(
    noderag: Noderag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str, file: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("alias ll='ls -l'\n", encoding="utf-8")
    done = noderag("completion", shell, "--install", "--json")
    assert done.document == {"shell": shell, "file": str(tmp_path / file)}
    assert (tmp_path / file).read_text(encoding="utf-8").strip() == noderag("completion", shell).out.strip()
    before = (tmp_path / ".bashrc").read_text(encoding="utf-8")
    assert before.startswith("alias ll='ls -l'\n")
    assert noderag("completion", shell, "--install").code == 0
    assert before.count("source") == (tmp_path / ".bashrc").read_text(encoding="utf-8").count("source")


def test_a_home_that_cannot_be_written_is_told(
    noderag: Noderag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    (tmp_path / "file").touch()
    done = noderag("completion", "fish", "--install")
    assert done.code == 3
    assert "noderag completion fish" in done.err


def test_another_shell_is_told_which_there_are(noderag: Noderag) -> None:
    done = noderag("completion", "tcsh")
    assert done.code == 2
    assert "fish" in done.err
