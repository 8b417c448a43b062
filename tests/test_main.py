"""The command without a terminal: what would open the interface says what to do instead."""

from __future__ import annotations

import subprocess
import sys

import pytest

from noderag_local.config import Settings
from noderag_local.domain.errors import SettingsError
from noderag_local.interfaces.cli.run_command import run


def noderag(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "noderag_local", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)


def test_without_a_terminal_and_arguments_it_prints_its_help() -> None:
    done = noderag()
    assert done.returncode == 2
    assert "noderag index ~/notes" in done.stderr


def test_without_a_terminal_ui_says_that_it_needs_one() -> None:
    done = noderag("ui")
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr


def test_the_interface_gets_the_settings_and_gives_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("vault")
    given: list[Settings] = []

    def interface(settings: Settings) -> int:
        given.append(settings)
        return 3

    assert run(["ui", "--vault", str(folder)], interface) == 3
    monkeypatch.setenv("NODERAG_VAULT", str(folder))
    assert run([], interface) == 3
    assert [settings.vault for settings in given] == [folder, folder]


def test_wrong_settings_are_told_before_anything_opens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NODERAG_THREADS", "many")
    assert run([], lambda _: 0) == SettingsError.exit_code
    assert "threads" in capsys.readouterr().err
