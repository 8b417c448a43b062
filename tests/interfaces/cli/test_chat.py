"""`noderag chat` as people and programs run it: in a pipe and at a terminal, as a process of its own."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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


class Terminal:
    """What a person at a terminal types into `noderag chat`, and sees."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.seen = ""

    def type(self, keys: str) -> None:
        """Presses keys as soon as there is a new prompt."""
        while "\n> " not in self.seen.replace("\r", ""):
            self._read()
        self.seen = ""
        os.write(self._descriptor, keys.encode())

    def _read(self) -> None:
        self.seen += os.read(self._descriptor, 65536).decode()


@contextmanager
def at_terminal(vault: Path, *options: str, stdout: int | None = None) -> Iterator[Terminal]:
    """Runs `noderag chat` at a terminal, which must end by itself when the block has typed its last key."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "noderag_local", "chat", "--vault", str(vault), *options]
    environment = {**os.environ, "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        command, stdin=follower, stdout=stdout or follower, stderr=follower, env=environment
    ) as running:
        os.close(follower)
        try:
            yield Terminal(leader)
            assert running.wait(timeout=300) == 0
        finally:
            running.kill()
            os.close(leader)


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
        assert any(re.match(r"\[1\] .+\.(md|txt):\d", line) for line in answer.splitlines())
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


CTRL_A, CTRL_D, UP = "\x01", "\x04", "\x1b[A"


def test_a_line_is_edited_and_earlier_questions_come_back(vault: Path) -> None:
    with at_terminal(vault) as terminal:
        terminal.type(f"{LEASE[1:]}{CTRL_A}{LEASE[0]}\r")
        terminal.type(f"{COOK}\r")
        terminal.type(f"{UP}{UP}\r")
        terminal.type(CTRL_D)
    assert kept(vault) == [[LEASE, COOK, LEASE]]


def test_a_continued_conversation_brings_back_its_own_questions(vault: Path) -> None:
    assert chat(vault, f"{LEASE}\n").returncode == 0
    with at_terminal(vault, "--continue") as terminal:
        terminal.type(f"{UP}\r")
        terminal.type(CTRL_D)
    assert kept(vault) == [[LEASE, LEASE]]


def test_a_program_gets_a_line_for_each_answer(vault: Path) -> None:
    done = chat(vault, f"{LEASE}\n\n{COOK}\n", "--json")
    first, second = map(json.loads, done.stdout.decode().splitlines())
    assert (first["question"], second["question"]) == (LEASE, COOK)
    assert first["answer"]
    assert first["asked_as"] == ""
    assert any(source["cited"] for source in second["sources"])
    assert first["conversation"] == second["conversation"] is not None
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_fails_is_a_line_as_well(vault: Path) -> None:
    done = chat(vault, f"{LEASE}\n", "--json", "--no-save", "--method", "no-such")
    (line,) = done.stdout.decode().splitlines()
    assert json.loads(line)["error"]["type"] == "SettingsError"
    assert done.returncode == 2


def test_answers_for_a_program_have_no_prompts_between_them(vault: Path, tmp_path: Path) -> None:
    with (
        (tmp_path / "answers.jsonl").open("wb") as out,
        at_terminal(vault, "--json", "--no-save", stdout=out.fileno()) as terminal,
    ):
        terminal.type(f"{LEASE}\n")
        terminal.type(CTRL_D)
    (line,) = (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    document = json.loads(line)
    assert (document["question"], document["conversation"]) == (LEASE, None)
