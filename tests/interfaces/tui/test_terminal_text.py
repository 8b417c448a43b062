"""Paths as they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.interfaces.tui.shared.terminal_text import from_home


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/home/ann", "~"),
        ("/home/ann/notes/a.md", "~/notes/a.md"),
        ("/home/anna/a.md", "/home/anna/a.md"),
        ("/srv/home/ann", "/srv/home/ann"),
    ],
)
def test_the_home_folder_is_a_tilde(monkeypatch: pytest.MonkeyPatch, path: str, told: str) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert from_home(path) == from_home(Path(path)) == told


def test_a_root_for_a_home_shortens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert from_home("/etc/hosts") == "/etc/hosts"
