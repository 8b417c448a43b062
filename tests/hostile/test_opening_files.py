"""A file that a program of the desktop would open is shown as text first, and started only for somebody who says yes."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from hostile.screens import app_over
from interfaces.tui.people_notes import indexed, library
from interfaces.tui.screen_text import toasts, words
from interfaces.tui.waiting import run, until
from textual.pilot import Pilot

from noderag_local.ingest.formats.registry import FORMATS
from noderag_local.interfaces.cli.run_command import run as noderag
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp

FORMATS_DATA = Path(__file__).parents[1] / "data" / "formats"
PAGE = """<html><head><title>Page</title><meta http-equiv="refresh" content="0;url=http://evil.example/"></head><body>
<p>Marta Oliveira met Jonas Brandt in Lisbon.</p><img src="http://evil.example/x.png"><script src="//evil.example/x.js"></script></body></html>
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the program's name is another one elsewhere")


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of the desktop, and an editor, that write down what they are to open; gives that file."""
    opened = tmp_path / "opened"
    for name in ("xdg-open", "editor"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nprintf "%s %s\\n" {name} "$*" >> {opened}\n', "utf-8")
        program.chmod(0o700)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path / "bin"), os.environ["PATH"])))
    monkeypatch.setenv("EDITOR", str(tmp_path / "bin" / "editor"))
    monkeypatch.delenv("VISUAL", raising=False)
    return opened


def vault_of(tmp_path: Path, *names: str) -> Path:
    """A vault of files of these names: a web page of ours, or one of the samples."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in names:
        if name.lower().endswith((".html", ".htm")):
            (notes / name).write_text(PAGE, "utf-8")
        else:
            shutil.copy(next(FORMATS_DATA.glob(f"*{Path(name).suffix}")), notes / name)
    return indexed(notes, tmp_path / "vault")


async def read_it(app: NoderagApp, pilot: Pilot[None]) -> NoteReader:
    """Waits for the document's text."""
    reader = app.screen.query_one(NoteReader)
    await until(pilot, lambda: reader.note is not None)
    return reader


@pytest.mark.parametrize("name", ["page.html", "page.HTM", "report.docx", "slides.pptx", "sheet.xlsx", "text.odt", "mail.eml",
                                  "book.epub", "paper.pdf", "text.rtf", "notes.ipynb"])  # fmt: skip
def test_it_is_shown_as_text_asked_about_and_only_then_opened(tmp_path: Path, desktop: Path, name: str) -> None:
    if not name.lower().endswith(("html", "htm")) and not list(FORMATS_DATA.glob(f"*{Path(name).suffix}")):
        pytest.skip(f"no sample of {name}")
    vault = vault_of(tmp_path, name)

    async def test() -> None:
        with app_over(vault) as app:
            async with app.run_test(size=(120, 40), notifications=True) as pilot:
                await library(app, pilot, 1)
                await pilot.press("e")
                await until(pilot, lambda: app.screen.query_one(NoteReader).note is not None)
                assert not isinstance(app.screen, ConfirmDialog)
                await pilot.press("e")
                await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
                assert name in words(app) and "network" in words(app)
                for no in ("n", "escape", "enter"):
                    await pilot.press(no)
                    await until(pilot, lambda: not isinstance(app.screen, ConfirmDialog))
                    await pilot.press("e")
                    await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
                assert not desktop.exists()
                await pilot.press("y")
                await until(pilot, desktop.exists)
                await until(pilot, lambda: any("Opened" in toast for toast in toasts(app)))

    run(test)
    assert desktop.read_text("utf-8").splitlines() == [f"xdg-open {tmp_path / 'notes' / name}"]


def test_from_a_cited_place_it_is_asked_as_well(tmp_path: Path, desktop: Path) -> None:
    vault = vault_of(tmp_path, "page.html")

    async def test() -> None:
        with app_over(vault) as app:
            async with app.run_test(size=(120, 40)) as pilot:
                await library(app, pilot, 1)
                await pilot.press("enter")
                reader = await read_it(app, pilot)
                assert reader.note is not None and any("Marta Oliveira" in line for line in reader.note.text.lines)
                await pilot.press("e")
                await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
                await pilot.press("n")
                await until(pilot, lambda: not isinstance(app.screen, ConfirmDialog))
                await pilot.pause(0.2)

    run(test)
    assert not desktop.exists()


def test_a_name_of_a_file_is_no_markup_of_the_question(tmp_path: Path, desktop: Path) -> None:
    name = "[@click=app.quit]x[∕] \u202elmth.[red]\u200b.html"
    vault = vault_of(tmp_path, name)

    async def test() -> None:
        with app_over(vault) as app:
            async with app.run_test(size=(120, 40)) as pilot:
                await library(app, pilot, 1)
                await pilot.press("e", "e")
                await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
                assert "[@click=app.quit]x[∕] lmth.[red].html" in words(app)

    run(test)


def test_only_text_goes_to_the_editor_without_a_question() -> None:
    from noderag_local.interfaces.tui.shared.open_file import is_for_editor

    asked = {known.kind for known in FORMATS if not is_for_editor(f"x{known.suffixes[0]}")}
    assert {
        "HTML",
        "Word",
        "Excel",
        "PowerPoint",
        "OpenDocument",
        "RTF",
        "EPUB",
        "PDF",
        "mail",
        "calendar",
        "notebook",
    } <= asked
    assert all(is_for_editor(f"x{suffix}") for suffix in (".md", ".txt", ".jsonl", ".org", ".py", ".csv", "", ".bat"))


def test_the_command_line_shows_text_and_starts_nothing(
    tmp_path: Path, desktop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = vault_of(tmp_path, "page.html")
    monkeypatch.setenv("NODERAG_MODELS_DIR", str(vault / "none"))
    for words_ in (
        ("show", str(tmp_path / "notes" / "page.html")),
        ("search", "Marta"),
        ("ask", "Where did Marta meet Jonas?"),
    ):
        assert noderag([*words_, "--vault", str(vault)]) == 0
        assert "Lisbon" in capsys.readouterr().out
    assert not desktop.exists()
