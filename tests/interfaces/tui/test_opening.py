"""Files that no editor shows: their text stands in the panel, and `e` asks and opens them as a double click does."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from interfaces.tui.people_notes import indexed, library
from interfaces.tui.screen_text import toasts
from interfaces.tui.waiting import run, until
from textual.widgets import Static

from noderag_local.interfaces.tui.reader.note_reader import AS_READ, NoteReader
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shared.open_file import desktop_command
from noderag_local.interfaces.tui.shell.application import NoderagApp

AppOf = Callable[..., NoderagApp]
SLIDES = Path(__file__).parents[2] / "data" / "formats" / "slides-pandoc.pptx"


@pytest.mark.parametrize(("platform", "program"), [("linux", "xdg-open"), ("darwin", "open"), ("win32", "explorer")])
def test_the_path_is_one_argument_whatever_stands_in_it(platform: str, program: str) -> None:
    path = "/notes/a b; rm -rf $HOME.pdf"
    assert desktop_command(path, platform) == [program, path]


@pytest.fixture
def slides(tmp_path: Path) -> Path:
    """A vault of a presentation."""
    notes = tmp_path / "slides"
    notes.mkdir()
    shutil.copy(SLIDES, notes / "a b; touch c.pptx")
    return indexed(notes, tmp_path / "slides-vault")


@pytest.mark.skipif(sys.platform != "linux", reason="the program's name is another one elsewhere")
def test_a_slide_is_shown_as_it_was_read_and_the_presentation_opened_by_the_desktop(
    app_of: AppOf, slides: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, opened = tmp_path / "bin" / "xdg-open", tmp_path / "opened"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n', "utf-8")

    async def test() -> None:
        app = app_of(slides)
        async with app.run_test(size=(120, 30), notifications=True) as pilot:
            await library(app, pilot, 1)
            await pilot.press("enter")
            reader = app.screen.query_one(NoteReader)
            await until(pilot, lambda: str(reader.query_one(".remark", Static).content) == AS_READ)
            assert reader.note is not None and "– slide 1 –" in reader.note.text.lines
            monkeypatch.setenv("PATH", str(tmp_path))
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            await pilot.press("y")
            await until(pilot, lambda: any("xdg-open: No such file" in toast for toast in toasts(app)))
            program.chmod(0o700)
            monkeypatch.setenv("PATH", os.pathsep.join((str(program.parent), os.defpath)))
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            await pilot.press("y")
            await until(pilot, opened.exists)
            assert opened.read_text("utf-8") == reader.note.path

    run(test)
