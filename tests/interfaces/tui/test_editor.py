"""Which command opens a note in the user's editor."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.domain.errors import SettingsError
from noderag_local.interfaces.tui.shared.open_file import editor_command, installed_editors, named_editor

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
    assert editor_command(PATH, 7, editor) == arguments


@pytest.mark.parametrize(
    ("environment", "chosen", "named"),
    [
        ({"VISUAL": "emacs", "EDITOR": "ed"}, "vi", "emacs"),
        ({"EDITOR": "ed"}, "vi", "ed"),
        ({"EDITOR": ""}, "vi", "vi"),
        ({"EDITOR": "   "}, "", ""),
        ({}, "", ""),
    ],
)
def test_variables_come_before_the_setting(environment: dict[str, str], chosen: str, named: str) -> None:
    assert named_editor(environment, chosen) == named


def test_without_an_editor_it_says_how_to_name_one() -> None:
    with pytest.raises(SettingsError, match="export EDITOR=nano"):
        editor_command(PATH, 1, "")


def test_the_installed_editors_are_found_the_easiest_first(tmp_path: Path) -> None:
    for name in ("vi", "nano", "other"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
    assert installed_editors({"PATH": str(tmp_path)}) == ("nano", "vi")
    assert installed_editors({"PATH": ""}) == ()


def test_an_editor_that_cannot_be_read_is_told() -> None:
    with pytest.raises(SettingsError, match="No closing quotation"):
        editor_command(PATH, 1, 'vim "')
