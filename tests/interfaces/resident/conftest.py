"""A resident process over the sample notes, and commands in processes of their own beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from noderag_local.interfaces.cli.questions.demo_command import notes_folder
from noderag_local.interfaces.cli.run_command import run
from noderag_local.interfaces.resident.leaving import told_by_resident

PATIENCE_SECONDS = 60

Command = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(autouse=True)
def meeting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime folder for one test, whose path is short enough for a socket; its resident process ends with the test."""
    with tempfile.TemporaryDirectory(prefix="nr", dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        monkeypatch.setenv("NODERAG_RESIDENT", "true")
        yield Path(folder) / "noderag"
        told_by_resident("end")


@pytest.fixture(autouse=True)
def no_language_model(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(tmp_path_factory.getbasetemp() / "no-models"))


@pytest.fixture(scope="session")
def sample_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not to be written to."""
    folder = tmp_path_factory.mktemp("resident") / "vault"
    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("NODERAG_SETTINGS", str(folder.parent / "none.toml"))
        variables.setenv("NODERAG_MODELS_DIR", str(folder.parent))
        assert run(["index", str(notes_folder()), "--vault", str(folder)]) == 0
    return folder


@pytest.fixture
def own_vault(sample_vault: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(sample_vault, tmp_path / "vault"))


@pytest.fixture
def noderag() -> Command:
    """Runs `noderag` in a process of its own."""

    def command(*words: object, **variables: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "noderag_local", *map(str, words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_SECONDS,
            check=False,
            env={**os.environ, **variables},
        )

    return command


@pytest.fixture
def resident(sample_vault: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A resident process that listens."""
    yield from started(sample_vault)


def started(vault: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-P", "-c", STARTED, str(vault)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"listening\n"
            yield process
        finally:
            process.kill()


STARTED = """
import os, sys
from noderag_local.system import offline
offline.install()
from noderag_local.interfaces.resident import starting
listen, told = starting._listen, os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
def and_tell(*given):
    listen(*given)
    os.write(told, b"listening\\n")
starting._listen = and_tell
sys.exit(starting.start(sys.argv[1]))
"""
"""The resident process as `python -m noderag_local.interfaces.resident` runs it, telling when it listens."""


@pytest.fixture
def resident_of(meeting: Path) -> Iterator[Callable[[Path], subprocess.Popen[bytes]]]:
    """Starts a resident process with a vault of the test's own."""
    running = []

    def start(vault: Path) -> subprocess.Popen[bytes]:
        running.append(started(vault))
        return next(running[-1])

    yield start
    for process in running:
        process.close()
