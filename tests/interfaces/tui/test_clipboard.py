"""Copying reaches the clipboard in tmux and in terminals that cannot copy by themselves."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from interfaces.tui.waiting import run, until

from noderag_local.interfaces.tui.shared.clipboard import copy_by, copy_program
from noderag_local.interfaces.tui.shell.application import NoderagApp


def program(folder: Path, name: str, text: str = '#!/bin/sh\ncat > "$(dirname "$0")/copied"\n') -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o700)
    return path


@pytest.mark.parametrize(
    ("environment", "platform", "command"),
    [
        ({"TMUX": "/tmp/tmux,1,0", "DISPLAY": ":0"}, "linux", "tmux load-buffer -w -"),
        ({"TMUX": "/tmp/tmux,1,0", "SSH_CONNECTION": "a b"}, "linux", "tmux load-buffer -w -"),
        ({"SSH_CONNECTION": "a b", "DISPLAY": ":10"}, "linux", ""),
        ({}, "darwin", "pbcopy"),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "linux", "wl-copy"),
        ({"DISPLAY": ":0"}, "linux", "xclip -selection clipboard"),
        ({}, "linux", ""),
    ],
)
def test_the_program_fits_where_the_interface_is_shown(
    tmp_path: Path, environment: dict[str, str], platform: str, command: str
) -> None:
    for name in ("tmux", "pbcopy", "wl-copy", "xclip", "xsel"):
        program(tmp_path, name)
    assert " ".join(copy_program({**environment, "PATH": str(tmp_path)}, platform)) == command


def test_a_program_that_is_not_installed_is_not_called(tmp_path: Path) -> None:
    assert copy_program({"TMUX": "1", "PATH": str(tmp_path)}, "linux") == ()
    program(tmp_path, "xsel")
    assert copy_program({"DISPLAY": ":0", "PATH": str(tmp_path)}, "linux")[0] == "xsel"


def test_a_program_that_fails_costs_nothing(tmp_path: Path) -> None:
    copy_by((str(program(tmp_path, "broken", "#!/bin/sh\nexit 3\n")),), "text")
    copy_by((str(tmp_path / "nothing"),), "text")


def test_the_interface_copies_through_tmux(
    app_of: Callable[..., NoderagApp], vault_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "tmux")
    monkeypatch.setenv("TMUX", "/tmp/tmux,1,0")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    async def steps() -> None:
        async with app_of(vault_folder).run_test() as pilot:
            await pilot.pause()
            pilot.app.copy_to_clipboard("Käthe owes 12 €")
            copied = tmp_path / "copied"
            await until(pilot, lambda: copied.exists() and copied.read_text("utf-8") == "Käthe owes 12 €")

    run(steps)
