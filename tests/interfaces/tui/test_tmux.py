"""The real program in a real terminal with a real model: from the first run to a cited answer, and out again."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import noderag_local
from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelMissing
from noderag_local.models.llm.gguf_files.installed import resolve_model

pytestmark = [pytest.mark.real, pytest.mark.slow]

NOTES = {
    "trip.md": "# Lisbon\n\nWe stayed at the Casa do Bairro in Alfama from 3 to 9 May 2023.\n",
    "heating.md": "# Heating\n\nThe new boiler is a Vaillant. Herr Brandt installed it on 14 October 2022.\n",
    "anna.md": "# Anna\n\nAnna Kowalska was born in Gdańsk and lives in Utrecht with two cats.\n",
}
QUESTION = "Who installed the boiler?"
PATIENCE_SECONDS = 300.0


class Tmux:
    """A terminal of 100 columns and 30 lines with the program in it, on a server of its own."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self._socket = folder / "tmux"
        names = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
        # The last screen stays, for the message of a test that fails.
        command = " ".join(["env", *names, sys.executable, "-m", "noderag_local; echo left with $?; exec sleep 300"])
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", command)

    def type(self, text: str) -> None:
        """Types letters into a field, once one has the focus."""
        first, rest = text[0], text[1:]
        until = time.monotonic() + PATIENCE_SECONDS
        before = self.screen()
        while self.screen() == before:
            assert time.monotonic() < until, f"no field takes letters:\n{before}"
            self._tmux("send-keys", "-l", first)
            time.sleep(1)
        if rest:
            self._tmux("send-keys", "-l", rest)

    def press(self, *keys: str) -> None:
        """Presses keys by tmux's names for them."""
        self._tmux("send-keys", *keys)

    def screen(self) -> str:
        """What stands on it."""
        return self._tmux("capture-pane", "-p")

    def wait_for(self, *texts: str) -> str:
        """The screen, once all of these stand on it."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not all(text in (screen := self.screen()) for text in texts):
            assert time.monotonic() < until, f"{texts} did not come:\n{screen}"
            time.sleep(0.1)
        return screen

    def close(self) -> None:
        """Ends the program with its terminal."""
        self._tmux("kill-server")

    def _tmux(self, *words: str) -> str:
        # The folder's own path may be longer than a socket's may be.
        command = ["tmux", "-S", self._socket.name, *words]
        environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=300, cwd=self._socket.parent, env=environment
        )
        return done.stdout


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    models = load_settings().models_dir
    try:
        # The default one: the smallest of the catalogue says too often that the notes do not tell.
        path = resolve_model("", models)
    except ModelMissing as error:
        pytest.skip(str(error))
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).write_text(text, encoding="utf-8")
    opened = Tmux(
        tmp_path,
        NODERAG_SETTINGS=str(tmp_path / "settings.toml"),
        NODERAG_VAULT=str(tmp_path / "vault"),
        NODERAG_MODELS_DIR=str(models.absolute()),
        NODERAG_MODEL=path.stem,
        NODERAG_ANSWER_TOKENS="40",
        NODERAG_BUDGET_TOKENS="400",
        PYTHONPATH=str(Path(noderag_local.__file__).parent.parent),
    )
    yield opened
    opened.close()


def test_from_the_first_run_to_a_cited_answer(terminal: Tmux, tmp_path: Path) -> None:
    terminal.wait_for("Which folder holds your notes?", "Settings")
    terminal.type("x")
    terminal.press("C-u")
    terminal.wait_for("A folder: ~/notes")
    terminal.type(str(tmp_path / "notes"))
    terminal.press("Enter")
    terminal.wait_for("3 files", "Enter begins")
    terminal.press("Enter")
    terminal.wait_for("Ask your notes")
    terminal.type(QUESTION)
    terminal.wait_for(QUESTION)
    terminal.press("Enter")
    answered = terminal.wait_for("Herr Brandt", "[1] heating.md", "tokens read")
    assert QUESTION in answered
    terminal.press("F1")
    terminal.wait_for("Manual · The interface", "Ask a question.")
    terminal.press("Escape")
    terminal.press("F3")
    terminal.wait_for("Anna", "Lisbon")
    terminal.press("C-q")
    terminal.wait_for("left with 0")
