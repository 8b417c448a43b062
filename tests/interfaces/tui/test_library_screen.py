"""The library, as a person uses it: over a real vault, with a language model whose answers are written here."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.unreachable import make_unreachable
from interfaces.tui.people_notes import ended_job, indexed, library, said, write_german
from interfaces.tui.screen_text import shown, toasts
from interfaces.tui.waiting import run, until
from textual.widgets import Input, OptionList, Static

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.jobs.budget_dialog import BudgetDialog
from noderag_local.interfaces.tui.jobs.jobs import JobKind, JobState
from noderag_local.interfaces.tui.library.backup_dialog import BackupDialog
from noderag_local.interfaces.tui.library.document_table import DocumentTable
from noderag_local.interfaces.tui.library.folder_chooser import AddingDialog
from noderag_local.interfaces.tui.library.library_dialogs import start_indexing
from noderag_local.interfaces.tui.library.library_screen import LibraryScreen
from noderag_local.interfaces.tui.library.vault_figures import VaultFigures
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.models.llm.engine import Request
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.storage.backup.backups import FOLDER_NAME, Backups
from noderag_local.vault.vault import Vault

AppOf = Callable[..., NoderagApp]


def state_facts(request: Request) -> str:
    """Who lives where, of numbered sentences; nothing usable else."""
    found = re.search(r"^(\d+)\. (\w+ \w+) lives in (\w+)", request.messages[-1].content, re.MULTILINE)
    return f"{found[1]} {found[2]} | lives in | {found[3]}" if found else "Well."


def states(table: DocumentTable) -> list[str]:
    return [table.render_line(y).text[:13].strip() for y in range(1, table.kept + 1)]


def test_it_shows_what_there_is(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(80, 24)) as pilot:
            table = await library(app, pilot, 14)
            assert said(app, "#library-head").startswith("Library  1 folder · 14 documents · 7 KB of text")
            assert said(app, "#detail").endswith("reading.md · 1 chunk")
            assert set(states(table)) == {"indexed"}
            await pilot.press("down")
            await until(pilot, lambda: "bicycle.md" in said(app, "#detail"))

    run(test)


def test_the_hidden_filter_never_gets_the_keys_while_the_screen_opens(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(80, 24)):
            app.simulate_key("f3")
            while not isinstance(app.screen, LibraryScreen) or app.screen.focused is None:
                await asyncio.sleep(0)
            assert isinstance(app.screen.focused, DocumentTable)

    run(test)


def test_escape_clears_a_filter_whose_field_is_hidden(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(80, 24)) as pilot:
            table = await library(app, pilot, 14)
            app.screen.query_one("#filter", Input).value = "bicycle"
            await until(pilot, lambda: "Name: 1 of 14 match" in table.render_line(0).text)
            await pilot.press("escape")
            await until(pilot, lambda: table.kept == 14)
            assert "match" not in table.render_line(0).text

    run(test)


def test_a_filter_is_typed_and_escape_takes_it_away(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(80, 24)) as pilot:
            table = await library(app, pilot, 14)
            await pilot.press("slash", *"porto")
            await until(pilot, lambda: table.kept == 2)
            await pilot.press("down")
            assert app.focused is table
            await pilot.press("escape")
            await until(pilot, lambda: table.kept == 14)
            assert not app.screen.query_one("#filter", Input).display

    run(test)


@pytest.mark.parametrize(("width", "is_seen_at_first"), [(80, False), (120, True)])
def test_the_figures_stand_beside_where_there_is_room_and_come_by_a_key(
    app_of: AppOf, vault_folder: Path, width: int, is_seen_at_first: bool
) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(width, 24)) as pilot:
            await library(app, pilot, 14)
            figures = app.screen.query_one(VaultFigures)
            assert figures.display is is_seen_at_first
            await pilot.press("i")
            assert figures.display is not is_seen_at_first

    run(test)


def test_a_folder_is_added(app_of: AppOf, people: Path, tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "Voss.md").write_text("# Voss\n\nCarl Nilsen lives in Voss.\n", "utf-8")

    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30)) as pilot:
            table = await library(app, pilot, 2)
            await pilot.press("a")
            await until(pilot, lambda: isinstance(app.screen, AddingDialog))
            app.screen.query_one(Input).value = str(more)
            await pilot.press("enter")
            await until(pilot, lambda: "1 file (1 Markdown)" in said(app, "#survey"))
            await pilot.press("enter")
            job = await ended_job(app, pilot)
            assert job.line.startswith("Indexed: 1 document added, in ")
            await until(pilot, lambda: table.kept == 3)

    run(test)


def test_reading_again_takes_what_has_changed_and_names_what_is_gone(
    app_of: AppOf, people: Path, notes: Path, tmp_path: Path
) -> None:
    (notes / "Oslo.md").write_text("# Oslo\n\nAnn Lee moved away.\n", "utf-8")

    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await library(app, pilot, 2)
            await pilot.press("r")
            job = await ended_job(app, pilot)
            assert "1 document added, 1 file changed, 1 document removed, 1 file unchanged" in job.line
            notes.rename(tmp_path / "elsewhere")
            await pilot.press("r")
            await until(pilot, lambda: any("is not there" in toast for toast in toasts(app)))
            assert not app.jobs.is_busy
            make_unreachable(notes)
            await pilot.press("r")
            await until(pilot, lambda: sum("is not there" in toast for toast in toasts(app)) == 2)

    run(test)


def test_a_folder_that_was_read_line_by_line_is_read_so_again(app_of: AppOf, notes: Path, tmp_path: Path) -> None:
    (notes / "facts.txt").write_text("One fact.\nAnother fact.\n", "utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "no-models")) as vault:
        vault.index([notes / "facts.txt"], by_lines=True)
        vault.index([notes / "Oslo.md"])

    async def test() -> None:
        app = app_of(tmp_path / "vault")
        async with app.run_test(size=(100, 30)) as pilot:
            await library(app, pilot, 3)
            await pilot.press("r")
            job = await ended_job(app, pilot)
            assert job.line.startswith("Indexed: 0 documents added, 2 files unchanged, in ")

    run(test)


def test_a_file_that_cannot_be_read_stands_first_with_its_reason(app_of: AppOf, with_broken_note: Path) -> None:
    async def test() -> None:
        app = app_of(with_broken_note)
        async with app.run_test(size=(100, 30)) as pilot:
            table = await library(app, pilot, 2)
            await pilot.press("end", "r")
            await until(pilot, lambda: table.kept == 3)
            assert states(table) == ["failed", "indexed", "indexed"]
            assert "2 documents" in shown(app) and "3 documents" not in shown(app)
            await pilot.press("home")
            await until(pilot, lambda: "broken.md" in said(app, "#detail"))
            assert len(said(app, "#detail").splitlines()) == 2

    run(test)


def test_the_language_model_reads_on_for_as_long_as_a_person_says(app_of: AppOf, people: Path) -> None:
    async def test() -> None:
        app = app_of(people, ScriptedEngine(reply=state_facts))
        async with app.run_test(size=(100, 30)) as pilot:
            table = await library(app, pilot, 2)
            await until(pilot, lambda: "read none of 2 chunks" in said(app, "#job-line"))
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, BudgetDialog))
            await until(pilot, lambda: "To do: read 2 chunks" in said(app, "#estimate"))
            await pilot.press("1", "5")
            await pilot.pause()
            assert isinstance(app.screen, BudgetDialog) and not app.jobs.is_busy, "a digit only marks"
            assert app.screen.query_one(OptionList).highlighted == 4
            await pilot.press("enter")
            job = await ended_job(app, pilot)
            assert job.state is JobState.DONE, job.line
            assert job.line.startswith("Enriched: nothing is left to do, ")
            await until(pilot, lambda: states(table) == ["read", "read"])
            await until(pilot, lambda: "has read all 2 chunks" in said(app, "#job-line"))

    run(test)


def test_without_a_model_the_way_to_one_is_told_and_nothing_begins(app_of: AppOf, people: Path) -> None:
    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30)) as pilot:
            await library(app, pilot, 2)
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, BudgetDialog))
            await until(pilot, lambda: "Enriching needs a language model" in said(app, "#estimate"))
            assert app.screen.query_one(OptionList).disabled
            await pilot.press("1", "enter")
            await pilot.pause()
            assert isinstance(app.screen, BudgetDialog)
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
            assert not app.jobs.is_busy

    run(test)


def test_notes_in_other_languages_are_asked_about_and_nothing_is_fetched_unasked(app_of: AppOf, tmp_path: Path) -> None:
    folder = write_german(tmp_path / "notizen")

    async def test() -> None:
        app = app_of(tmp_path / "vault")
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.press("f3")
            assert start_indexing(app, [folder])
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            await until(pilot, lambda: "6 of 6 notes looked at are not English" in shown(app))
            assert "multilingual-e5-small (72 MB, MIT)" in " ".join(shown(app).split())
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, ConfirmDialog))
            await ended_job(app, pilot)
            assert app.jobs.job is not None
            assert app.jobs.job.kind is JobKind.INDEX

    run(test)


def test_a_backup_is_made_in_a_folder_of_choice_and_the_last_one_is_told(
    app_of: AppOf, people: Path, tmp_path: Path
) -> None:
    # Indexing on a very slow machine makes a backup by itself.
    shutil.rmtree(people / FOLDER_NAME, ignore_errors=True)

    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(110, 30)) as pilot:
            await library(app, pilot, 2)
            assert "backup: none" in said(app, "#library-head")
            assert "none  last backup" in shown(app)
            await pilot.press("b")
            await until(pilot, lambda: isinstance(app.screen, BackupDialog))
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, BackupDialog))
            await pilot.press("b")
            await until(pilot, lambda: isinstance(app.screen, BackupDialog))
            app.screen.query_one(Input).value = str(tmp_path / "stick" / "backups")
            await pilot.press("enter")
            job = await ended_job(app, pilot)
            assert job.line.startswith("Backup of ") and str(tmp_path / "stick" / "backups") in job.line
            made = Backups(people, tmp_path / "stick" / "backups").all()[0].made
            day = f"{made.astimezone():%Y-%m-%d}"
            await until(pilot, lambda: f"backup: {day}" in said(app, "#library-head"))
            await pilot.press("b")
            await until(pilot, lambda: isinstance(app.screen, BackupDialog))
            await pilot.press("enter")
            await until(pilot, lambda: Backups(people).all())

    run(test)


def test_files_that_are_left_out_are_named_with_the_reason(app_of: AppOf, notes: Path, tmp_path: Path) -> None:
    (notes / "old").mkdir()
    (notes / "old" / "setup.exe").write_bytes(b"MZ\x00\x01" * 50)
    (notes / "empty.md").write_text("", "utf-8")
    vault = indexed(notes, tmp_path / "vault")
    more = tmp_path / "more"
    more.mkdir()
    (more / "Voss.md").write_text("# Voss\n", "utf-8")
    for number in range(20):
        (more / f"tool{number:02}.exe").write_bytes(b"MZ\x00\x01")

    async def test() -> None:
        app = app_of(vault)
        async with app.run_test(size=(110, 40)) as pilot:
            await library(app, pilot, 2)
            told = str(app.screen.query_one("#holdings-text", Static).content)
            assert "1  not a text document\n  old/setup.exe" in told
            assert "1  empty\n  empty.md" in told
            await pilot.press("a")
            await until(pilot, lambda: isinstance(app.screen, AddingDialog))
            app.screen.query_one(Input).value = str(more)
            await pilot.press("enter")
            await until(pilot, lambda: "Left out: 20 not a text document." in said(app, "#survey"))
            await until(pilot, lambda: "tool00.exe" in shown(app) and "tool19.exe" not in shown(app))
            await pilot.press(*["pagedown"] * 4)
            await until(pilot, lambda: "tool19.exe" in shown(app))

    run(test)
