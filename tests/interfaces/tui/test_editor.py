from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.domain.errors import SettingsError
from noderag_local.interfaces.tui.shared.open_file import editor_command

PATH = "/notes/a b; rm -rf $HOME.md"


@pytest.mark.parametrize(
    ("editor", "arguments"),
    [
        ("nano", ["nano", "+7", PATH]),
        ("vim -u NONE", ["vim", "-u", "NONE", "+7", PATH]),
        ("/usr/bin/code", ["/usr/bin/code", "--wait", "--goto", f"{PATH}:7"]),
        ("hx", ["hx", f"{PATH}:7"]),
    ],
)
def test_the_path_is_one_argument_whatever_stands_in_it(editor: str, arguments: list[str]) -> None:
    assert editor_command(PATH, 7, {"EDITOR": editor}) == arguments


def test_visual_comes_before_editor() -> None:
    assert editor_command(PATH, 1, {"VISUAL": "emacs", "EDITOR": "ed"})[0] == "emacs"


@pytest.mark.parametrize("environment", [{}, {"EDITOR": ""}, {"EDITOR": "   "}])
def test_without_an_editor_it_says_how_to_name_one(environment: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="export EDITOR=nano"):
        editor_command(PATH, 1, environment)


def test_an_editor_that_is_installed_is_found_without_a_variable(tmp_path: Path) -> None:
    for name in ("vi", "nano"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
    assert editor_command(PATH, 7, {"PATH": str(tmp_path)}) == ["nano", "+7", PATH]
    assert editor_command(PATH, 7, {"PATH": str(tmp_path), "EDITOR": "ed"}) == ["ed", "+7", PATH]


def test_an_editor_that_cannot_be_read_is_told() -> None:
    with pytest.raises(SettingsError, match="No closing quotation"):
        editor_command(PATH, 1, {"EDITOR": 'vim "'})
