"""`noderag chat` as people run it: in a pipe, as a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.vault.vault import Vault

LEASE, COOK = "When does the lease end?", "Who cooks at the dinner?"


@pytest.fixture
def vault(sample_vault: Path, tmp_path: Path) -> Path:
    """A copy of the vault of sample notes, to be written to."""
    return Path(shutil.copytree(sample_vault, tmp_path / "vault"))


def chat(vault: Path, said: str | bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    """Runs `noderag chat` with some input in a pipe."""
    return subprocess.run(
        [sys.executable, "-m", "noderag_local", "chat", "--vault", str(vault), *options],
        input=said if isinstance(said, bytes) else said.encode(),
        capture_output=True,
        timeout=300,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "FORCE_COLOR": ""},
        check=False,
    )


def kept(vault: Path) -> list[list[str]]:
    """The questions of each conversation that is kept, the one that was changed last first."""
    with Vault(vault, load_settings()) as opened:
        talks = opened.conversations
        return [[turn.question for turn in talks.turns(one.id)] for one in talks.all()]


def test_every_line_of_a_pipe_is_answered_with_numbered_sources(vault: Path) -> None:
    done = chat(vault, f"{LEASE}\n\n   \n{COOK}\n")
    shown = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert [line for line in shown.splitlines() if line.startswith("> ")] == [f"> {LEASE}", f"> {COOK}"]
    first, _, second = shown.partition(f"> {COOK}")
    for answer in (first, second):
        assert any(line.startswith("[1] ") and ".md:" in line for line in answer.splitlines())
    assert shown.count("noderag models get") == 1
    assert b"\x1b" not in done.stdout and b"\r" not in done.stdout.replace(b"\r\n", b"\n")


def test_it_is_kept_and_continued_as_in_the_interface(vault: Path) -> None:
    assert chat(vault, f"{LEASE}\n").returncode == 0
    assert chat(vault, f"{COOK}\n").returncode == 0
    done = chat(vault, f"{LEASE}", "--continue")
    assert done.stderr.decode().splitlines() == [f"Continuing: {COOK}"]
    assert kept(vault) == [[COOK, LEASE], [LEASE]]


def test_nothing_is_kept_where_that_is_not_wanted(vault: Path) -> None:
    assert chat(vault, f"{LEASE}\n", "--no-save").returncode == 0
    assert kept(vault) == []


@pytest.mark.parametrize("said", ["", "\n\n"])
def test_an_empty_pipe_is_an_empty_conversation(vault: Path, said: str) -> None:
    done = chat(vault, said)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert kept(vault) == []


def test_bytes_that_are_no_text_and_signs_for_a_terminal_are_harmless(vault: Path) -> None:
    done = chat(vault, b"When does \xff\x1b[2J the lease end?\n", "--no-save")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("options", "code"), [(("--continue",), 7), (("--method", "no-such"), 2), (("--folder", "/no/such"), 7)]
)
def test_it_ends_with_the_exit_code_of_what_went_wrong(vault: Path, options: tuple[str, ...], code: int) -> None:
    done = chat(vault, f"{LEASE}\n{COOK}\n", *options)
    assert done.returncode == code
    assert done.stderr.decode().startswith("Error: ")


def test_without_a_vault_it_says_how_to_make_one(tmp_path: Path) -> None:
    done = chat(tmp_path / "nothing", f"{LEASE}\n")
    assert done.returncode == 4
    assert b"noderag index" in done.stderr
