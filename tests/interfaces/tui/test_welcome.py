"""The first run, from an empty machine to the chat."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.file_server import serving
from helpers.tiny_catalog_entry import tiny_entry
from helpers.tiny_gguf import Tensor, gguf
from interfaces.tui.people_notes import write_german
from interfaces.tui.waiting import run, until
from textual.pilot import Pilot
from textual.widgets import ContentSwitcher, Input, Label, OptionList

from noderag_local.interfaces.tui.jobs.job_screen import GROUP, start_job
from noderag_local.interfaces.tui.jobs.jobs import JobKind
from noderag_local.interfaces.tui.jobs.model_jobs import fetching
from noderag_local.interfaces.tui.library.welcome_screen import WITHOUT, WelcomeScreen, chat_models
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.models.llm.gguf_files.catalog import HttpsSource, ModelRole
from noderag_local.models.llm.scripted import ScriptedEngine

AppOf = Callable[..., NoderagApp]
MODEL = gguf(tensors=[Tensor(dimensions=(1000,))], data_bytes=4000)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Oslo.md").write_text("# Oslo\n\nAnn Lee lives in Oslo.\n", "utf-8")
    (folder / "photo.bmp").write_bytes(b"\xff\xd8")
    return folder


def said(app: NoderagApp, name: str) -> str:
    return str(app.screen.query_one(name, Label).content)


def step(app: NoderagApp) -> str | None:
    return app.screen.query_one(ContentSwitcher).current


async def choose(app: NoderagApp, pilot: Pilot[None], folder: Path) -> None:
    await until(pilot, lambda: isinstance(app.screen, WelcomeScreen) and app.focused)
    app.screen.query_one(Input).value = str(folder)
    await pilot.press("enter")


def test_from_a_folder_to_the_chat_without_a_model(app_of: AppOf, tmp_path: Path, notes: Path) -> None:
    async def test() -> None:
        app = app_of(tmp_path / "vault")
        async with app.run_test(size=(80, 24)) as pilot:
            await choose(app, pilot, notes)
            await until(pilot, lambda: "1 file (1 Markdown), 31 B; some seconds." in said(app, "#survey"))
            assert "Left out: 1 not a text document." in said(app, "#survey")
            assert not app.session.has_vault()  # nothing is read before a person has seen what
            await pilot.press("enter")
            await until(pilot, lambda: step(app) == "model")
            models = app.screen.query_one("#models", OptionList)
            assert str(models.options[0].prompt).endswith(", recommended")
            await until(pilot, lambda: "Licence: Apache-2.0." in said(app, "#model-detail"))
            assert models.options[-1].prompt == WITHOUT
            await pilot.press("end", "enter")
            await until(pilot, lambda: app.current_mode == "chat")

    run(test)


async def begin_reading(app: NoderagApp, pilot: Pilot[None], folder: Path) -> None:
    await choose(app, pilot, folder)
    await until(pilot, lambda: "Enter begins." in said(app, "#survey"))
    await pilot.press("enter")


def test_a_person_who_went_elsewhere_stays_there_until_they_come_back(
    app_of: AppOf, tmp_path: Path, notes: Path
) -> None:
    async def test() -> None:
        app = app_of(tmp_path / "vault", ScriptedEngine())
        with serving(MODEL) as site:
            async with app.run_test(size=(80, 24)) as pilot:
                await begin_reading(app, pilot, notes)
                await pilot.press("f7")
                await ended(app, pilot)
                await pilot.pause(0.2)
                assert app.current_mode == "search", "the notes are read, and a model answers"
                assert start_job(app, JobKind.FETCH, fetching(app.session, tiny_entry(MODEL, HttpsSource(site.url))))
                await ended(app, pilot)
                await pilot.pause(0.2)
                assert app.current_mode == "search"
                await pilot.press("escape", "escape")
                await until(pilot, lambda: app.current_mode == "chat")

    run(test)


def test_a_question_at_the_end_is_answered_before_the_chat_opens(app_of: AppOf, tmp_path: Path) -> None:
    async def test() -> None:
        app = app_of(tmp_path / "vault", ScriptedEngine())
        async with app.run_test(size=(80, 24)) as pilot:
            await begin_reading(app, pilot, write_german(tmp_path / "notizen"))
            await until(pilot, lambda: app.jobs.job)
            await ended(app, pilot)
            await pilot.pause(0.2)
            assert isinstance(app.screen, ConfirmDialog)
            assert "are not English" in said(app, "#question")
            await pilot.press("escape")
            await until(pilot, lambda: app.current_mode == "chat")

    run(test)


def test_another_folder_can_be_chosen_before_anything_is_read(app_of: AppOf, tmp_path: Path, notes: Path) -> None:
    async def test() -> None:
        app = app_of(tmp_path / "vault")
        async with app.run_test(size=(80, 24)) as pilot:
            await choose(app, pilot, notes)
            await until(pilot, lambda: "Enter begins." in said(app, "#survey"))
            app.screen.query_one(Input).value = str(tmp_path)
            await until(pilot, lambda: "Enter begins." not in said(app, "#survey"))
            assert step(app) == "folder"

    run(test)


@pytest.mark.parametrize(
    ("name", "told"), [("nowhere", "does not exist"), ("empty", "nothing here that noderag can read")]
)
def test_a_folder_that_gives_nothing_says_why(app_of: AppOf, tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "empty").mkdir()

    async def test() -> None:
        app = app_of(tmp_path / "vault")
        async with app.run_test(size=(80, 24)) as pilot:
            await choose(app, pilot, tmp_path / name)
            await until(pilot, lambda: told in said(app, "#survey"))
            await pilot.press("enter", "enter")
            assert step(app) == "folder"
            assert not app.jobs.is_busy

    run(test)


def test_a_vault_that_cannot_be_written_leads_back_to_the_folder(app_of: AppOf, tmp_path: Path, notes: Path) -> None:
    (tmp_path / "vault").write_text("a file, and no folder", "utf-8")

    async def test() -> None:
        app = app_of(tmp_path / "vault")
        async with app.run_test(size=(80, 24)) as pilot:
            await choose(app, pilot, notes)
            await until(pilot, lambda: "Enter begins." in said(app, "#survey"))
            await pilot.press("enter")
            await until(pilot, lambda: str(tmp_path / "vault") in said(app, "#survey"))
            assert step(app) == "folder"
            assert isinstance(app.focused, Input)

    run(test)


def test_the_default_model_stands_first() -> None:
    found = chat_models()
    assert [entry.default for entry in found] == [True] + [False] * (len(found) - 1)
    assert all(entry.role is ModelRole.CHAT for entry in found)


def test_the_welcome_stays_while_there_are_no_notes(app_of: AppOf, tmp_path: Path) -> None:
    async def test() -> None:
        app = app_of(tmp_path / "vault")
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, WelcomeScreen) and app.focused)
            await pilot.press("f8")
            await until(pilot, lambda: app.current_mode == "today")
            await pilot.press("f2")
            await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))

    run(test)


def test_a_model_is_fetched_as_a_job(app_of: AppOf, vault_folder: Path, tmp_path: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        with serving(MODEL) as site:
            async with app.run_test() as pilot:
                assert start_job(app, JobKind.FETCH, fetching(app.session, tiny_entry(MODEL, HttpsSource(site.url))))
                await until(pilot, lambda: app.jobs.job and app.jobs.job.is_over)
                assert app.jobs.job is not None
                assert app.jobs.job.line == "tiny.gguf is there: verified by SHA-256."
                assert (tmp_path / "no-models" / "tiny.gguf").read_bytes() == MODEL

    run(test)


def test_a_download_that_is_stopped_goes_on_later(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        with serving(MODEL) as site:
            site.cut_after = [100]  # the line breaks, and it is tried again a second later
            async with app.run_test() as pilot:
                assert start_job(app, JobKind.FETCH, fetching(app.session, tiny_entry(MODEL, HttpsSource(site.url))))
                await until(pilot, lambda: app.jobs.job and app.jobs.job.done)
                app.jobs.stop()
                assert (await ended(app, pilot)).startswith("Stopped: tiny is not whole yet")
                assert start_job(app, JobKind.FETCH, fetching(app.session, tiny_entry(MODEL, HttpsSource(site.url))))
                assert (await ended(app, pilot)) == "tiny.gguf is there: verified by SHA-256."

    run(test)


async def ended(app: NoderagApp, pilot: Pilot[None]) -> str:
    """What the job said at its end, when a next one may begin."""
    await until(pilot, lambda: all(worker.is_finished for worker in app.workers if worker.group == GROUP))
    assert app.jobs.job is not None
    return app.jobs.job.line
