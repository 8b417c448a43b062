"""Documents in the library: read, walked on from, edited, and forgotten; over a real vault."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from interfaces.tui.people_notes import ended_job, library, said
from interfaces.tui.screen_text import toasts
from interfaces.tui.waiting import run, until
from textual.pilot import Pilot
from textual.widgets import Label

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.jobs.job_screen import start_job
from noderag_local.interfaces.tui.jobs.jobs import Control, JobKind
from noderag_local.interfaces.tui.library.library_dialogs import IN_BACKUPS, FolderDialog
from noderag_local.interfaces.tui.library.library_screen import LibraryScreen
from noderag_local.interfaces.tui.reader.node_page import NodePage
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shared.editor_dialog import EditorDialog
from noderag_local.interfaces.tui.shared.help_dialog import HelpDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.vault.vault import Vault

AppOf = Callable[..., NoderagApp]
SECONDS_OF_WORK = 30.0
"""After which work ends that nobody ends."""


async def until_stopped(control: Control) -> str:
    while not control.cancelled():
        await asyncio.sleep(0.01)
    return "Stopped."


def until_set(has_ended: threading.Event) -> str:
    """Occupies the thread that writes until then."""
    has_ended.wait(SECONDS_OF_WORK)
    return "Ended."


async def agree(app: NoderagApp, pilot: Pilot[None], question: str) -> None:
    """Answers a question with yes when it is asked, and waits for the job."""
    await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
    assert said(app, "#question") == question
    await pilot.press("y")
    await ended_job(app, pilot)


def test_forgetting_names_the_backups_that_still_hold_the_note(app_of: AppOf, people: Path) -> None:
    with Vault(people, load_settings(models_dir=people / "no-models")) as vault:
        vault.safety.back_up()

    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30)) as pilot:
            await library(app, pilot, 2)
            await pilot.press("d")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            assert said(app, "#detail").endswith(IN_BACKUPS)

    run(test)


def test_a_document_is_forgotten_and_the_cursor_stays_where_it_was(app_of: AppOf, people: Path, notes: Path) -> None:
    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            table = await library(app, pilot, 2)
            await pilot.press("end", "d")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            assert said(app, "#detail").endswith("Conversations that quote it are deleted.")
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
            assert not app.jobs.is_busy
            await pilot.press("d")
            await agree(app, pilot, "Forget Oslo.md?")
            assert app.jobs.job is not None
            assert app.jobs.job.line.startswith("Forgot Oslo.md: 1 document, in ")
            await until(pilot, lambda: table.kept == 1 and "Bergen.md" in said(app, "#detail"))
            await until(pilot, lambda: any("Forgot Oslo.md" in toast for toast in toasts(app)))
            assert (notes / "Oslo.md").is_file()
            await pilot.press("r")
            await until(pilot, lambda: app.jobs.job and "1 file unchanged" in app.jobs.job.line)
            assert table.kept == 1

    run(test)


def test_a_record_is_forgotten_with_all_of_its_file(app_of: AppOf, notes: Path, tmp_path: Path) -> None:
    (notes / "facts.txt").write_text("One fact.\nAnother fact.\n", "utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "no-models")) as vault:
        vault.index([notes / "facts.txt"], by_lines=True)

    async def test() -> None:
        app = app_of(tmp_path / "vault")
        async with app.run_test(size=(100, 30)) as pilot:
            table = await library(app, pilot, 2)
            await pilot.press("d")
            await agree(app, pilot, "Forget facts.txt with all its 2 documents?")
            await until(pilot, lambda: table.kept == 0)
            assert "Nothing was indexed yet" in table.render_line(1).text

    run(test)


def test_a_folder_is_chosen_and_forgotten(app_of: AppOf, people: Path, notes: Path, tmp_path: Path) -> None:
    other = tmp_path / "towns"
    other.mkdir()
    (other / "Voss.md").write_text("# Voss\n\nCarl Nilsen lives in Voss.\n", "utf-8")
    with Vault(people, load_settings(models_dir=tmp_path / "no-models")) as vault:
        vault.index([other])

    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30)) as pilot:
            table = await library(app, pilot, 3)
            await pilot.press("D")
            await until(pilot, lambda: isinstance(app.screen, FolderDialog))
            await pilot.press("enter")
            await agree(app, pilot, f"Forget {notes} with all its 2 documents?")
            await until(pilot, lambda: table.kept == 1)
            assert "Voss.md" in said(app, "#detail")

    run(test)


def test_nothing_is_forgotten_while_something_runs(app_of: AppOf, people: Path) -> None:
    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await library(app, pilot, 2)
            assert start_job(app, JobKind.INDEX, until_stopped)
            await until(pilot, lambda: app.jobs.is_busy)
            await pilot.press("d")
            await until(pilot, lambda: any("Something is running" in toast for toast in toasts(app)))
            await pilot.press("D")
            assert isinstance(app.screen, LibraryScreen)
            await pilot.press("s")
            await until(pilot, lambda: not app.jobs.is_busy)

    run(test)


@pytest.mark.parametrize("width", [80, 120])
def test_a_document_is_read_and_walked_on_from(app_of: AppOf, vault_folder: Path, width: int) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(width, 30)) as pilot:
            table = await library(app, pilot, 14)
            await pilot.press("down", "enter")
            reader = app.screen.query_one(NoteReader)
            await until(pilot, lambda: reader.note is not None and app.focused is reader.view)
            assert reader.note is not None and "bicycle" in reader.note.name.casefold()
            assert app.screen.query_one("#library-main").display is (width == 120)
            await pilot.press("o", "end", "enter")
            await until(pilot, lambda: "›" in str(reader.query_one(".crumbs", Label).content))
            await until(pilot, lambda: reader.note is None)
            await pilot.press("escape")
            await until(pilot, lambda: reader.note is not None and "bicycle" in reader.note.name.casefold())
            await pilot.press("f")
            await until(pilot, lambda: reader.note is None)
            await pilot.press("backspace")
            await until(pilot, lambda: reader.note is not None)
            await pilot.press("escape")
            await until(pilot, lambda: app.focused is table)
            assert not reader.display

    run(test)


def test_what_cannot_be_read_says_why_and_then_gives_way(app_of: AppOf, with_broken_note: Path) -> None:
    async def test() -> None:
        app = app_of(with_broken_note)
        async with app.run_test(size=(100, 30)) as pilot:
            table = await library(app, pilot, 2)
            await pilot.press("home", "enter")
            page, reader = app.screen.query_one(NodePage), app.screen.query_one(NoteReader)
            await until(pilot, lambda: reader.note is not None)
            await pilot.press("escape", "r")
            await until(pilot, lambda: table.kept == 3)
            await pilot.press("home", "enter")
            await until(pilot, lambda: page.option_count == 1)
            assert "broken.md" in str(page.get_option_at_index(0).prompt)
            await pilot.press("escape", "down", "enter")
            await until(pilot, lambda: reader.note is not None)

    run(test)


def test_without_an_editor_the_way_to_one_is_told(app_of: AppOf, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("PATH", "")

    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await library(app, pilot, 2)
            await pilot.press("e")
            await until(pilot, lambda: any("No editor is named" in toast for toast in toasts(app)))

    run(test)


@pytest.fixture
def choice_of_editors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Two editors are installed and none is named; gives the settings file."""
    for name in ("EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NODERAG_SETTINGS", str(tmp_path / "settings.toml"))
    for name in ("nano", "vi"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path / "settings.toml"


def test_the_editor_is_asked_for_once(app_of: AppOf, people: Path, choice_of_editors: Path) -> None:
    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await library(app, pilot, 2)
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, EditorDialog))
            await pilot.press("down", "enter")
            # The terminal of a test cannot be handed over, which is told once the editor is started.
            await until(pilot, lambda: any("cannot be handed to an editor" in toast for toast in toasts(app)))
            assert app.session.settings.editor == "vi"
            await pilot.press("e")
            await until(pilot, lambda: len(toasts(app)) == 2)

    run(test)
    assert choice_of_editors.read_text() == 'editor = "vi"\n'


@pytest.mark.usefixtures("choice_of_editors")
def test_keys_work_while_a_chosen_editor_waits_for_a_job(app_of: AppOf, people: Path) -> None:
    """The vault of the old settings is closed only when the job that writes into it has ended."""

    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await library(app, pilot, 2)
            has_ended = threading.Event()
            try:
                start_job(app, JobKind.INDEX, lambda _: app.session.write(lambda _: until_set(has_ended)))
                await pilot.press("e")
                await until(pilot, lambda: isinstance(app.screen, EditorDialog))
                await pilot.press("enter")
                await until(pilot, lambda: any("cannot be handed to an editor" in toast for toast in toasts(app)))
                await pilot.press("f1")
                await until(pilot, lambda: isinstance(app.screen, HelpDialog))
                assert app.jobs.is_busy
            finally:
                has_ended.set()
            await ended_job(app, pilot)

    run(test)
