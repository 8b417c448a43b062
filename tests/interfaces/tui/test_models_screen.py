"""The models screen, as a person uses it, over a folder of tiny model files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.tiny_gguf import gguf
from helpers.unreachable import make_unreachable
from interfaces.tui.screen_text import raw_controls, shown, toasts, words
from interfaces.tui.waiting import run, until
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.jobs.jobs import JobState
from noderag_local.interfaces.tui.models.models_screen import ModelFileDialog, ModelsScreen
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.status_line import UNREAD_MODELS
from noderag_local.models.language_model import LanguageModel
from noderag_local.models.llm.gguf_files.catalog import catalog, default_entry
from noderag_local.system.printing.amounts import size

AppOf = Callable[..., NoderagApp]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """Where `app_of` looks for models; a file of the user's own is in it."""
    folder = tmp_path / "no-models"
    folder.mkdir()
    (folder / "mine.gguf").write_bytes(gguf())
    return folder


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("NODERAG_SETTINGS", str(path))
    return path


async def opened(app: NoderagApp, pilot: Pilot[None]) -> OptionList:
    """The list, once it is filled."""
    await pilot.press("f5")
    await until(pilot, lambda: isinstance(app.screen, ModelsScreen))
    found = app.screen.query_one("#list", OptionList)
    await until(pilot, lambda: found.option_count > 0)
    return found


async def add(app: NoderagApp, pilot: Pilot[None], file: Path) -> None:
    """Names a file in the dialog for it."""
    await opened(app, pilot)
    await pilot.press("a")
    await until(pilot, lambda: isinstance(app.screen, ModelFileDialog))
    app.screen.query_one(Input).value = str(file)
    await pilot.press("enter")


async def choose(pilot: Pilot[None], found: OptionList, name: str) -> None:
    """Moves to a model by the keys."""
    await pilot.press("home")
    for _ in range(found.option_count):
        option = found.highlighted_option
        if option is not None and name in str(option.prompt):
            return
        await pilot.press("down")
    raise AssertionError(f"{name} is not listed")


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_it_names_the_catalogue_and_what_is_installed(
    app_of: AppOf, vault_folder: Path, models: Path, size: tuple[int, int]
) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=size) as pilot:
            found = await opened(app, pilot)
            rows = [str(option.prompt) for option in found.options]
            for name in (*(entry.name for entry in catalog()), "mine"):
                assert any(name in row for row in rows)
            assert any("in use" in row for row in rows)
            await choose(pilot, found, default_entry().name)
            await until(pilot, lambda: "not installed: enter gets it" in shown(app))
            assert default_entry().licence in shown(app)

    run(go)


def test_enter_makes_an_installed_one_answer(
    app_of: AppOf, vault_folder: Path, models: Path, settings_file: Path
) -> None:
    (models / "other.gguf").write_bytes(gguf({"general.name": "Other"}))

    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 30)) as pilot:
            found = await opened(app, pilot)
            other = next(name for name in ("mine", "other") if f"● {name}" not in shown(app))
            await choose(pilot, found, other)
            await pilot.press("enter")
            await until(pilot, lambda: f"● {other}" in shown(app))
            assert app.session.settings.model == other
            assert settings_file.read_text(encoding="utf-8") == f'model = "{other}"\n'

    run(go)


def test_a_file_is_added_and_a_wrong_path_is_told(
    app_of: AppOf, vault_folder: Path, models: Path, tmp_path: Path
) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "tiny.gguf").write_bytes(gguf({"general.name": "Tiny"}))

    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 30)) as pilot:
            await add(app, pilot, stick / "none.gguf")
            await until(pilot, lambda: "is no file that can be read" in words(app))
            app.screen.query_one(Input).value = str(make_unreachable(tmp_path / "lost.gguf"))
            await until(pilot, lambda: "is no file" not in words(app))
            await pilot.press("enter")
            await until(pilot, lambda: "is no file" in words(app))
            app.screen.query_one(Input).value = str(stick / "tiny.gguf")
            await pilot.press("enter")
            await until(pilot, lambda: (models / "tiny.gguf").exists() and not app.jobs.is_busy)
            await until(pilot, lambda: "✓ tiny" in shown(app) or "● tiny" in shown(app))

    run(go)


def test_a_folder_that_cannot_be_read_is_told_and_everything_else_works(
    app_of: AppOf, vault_folder: Path, tmp_path: Path
) -> None:
    lost = make_unreachable(tmp_path / "no-models")

    async def go() -> None:
        app = app_of(vault_folder, models_dir=lost)
        # The conftest's model is scripted, and asks no folder.
        app.session.model = LanguageModel(app.session.settings)
        async with app.run_test(size=(120, 30), notifications=True) as pilot:
            await until(pilot, lambda: UNREAD_MODELS in words(app))
            await pilot.press("f5")
            await until(pilot, lambda: "cannot be read: File name too long" in words(app))
            await pilot.press("c")
            await until(pilot, lambda: any("cannot be read" in toast for toast in toasts(app)))
            await pilot.press("f6")
            listed = app.screen.query_one("#list", OptionList)
            await until(pilot, lambda: listed.option_count)
            await choose(pilot, listed, "Models")

    run(go)


def test_a_damaged_file_fails_with_its_reason(app_of: AppOf, vault_folder: Path, models: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.gguf").write_bytes(gguf()[:-1])

    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 30)) as pilot:
            await add(app, pilot, tmp_path / "cut.gguf")
            await until(pilot, lambda: app.jobs.job is not None and app.jobs.job.state is JobState.FAILED)
            assert app.jobs.job is not None
            assert "cut short" in app.jobs.job.line

    run(go)


def test_removing_asks_first(app_of: AppOf, vault_folder: Path, models: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 30)) as pilot:
            found = await opened(app, pilot)
            await choose(pilot, found, "mine")
            for answer in "ny":
                assert (models / "mine.gguf").exists()
                await pilot.press("x")
                await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
                assert "Remove mine?" in shown(app)
                await pilot.press(answer)
                await until(pilot, lambda: isinstance(app.screen, ModelsScreen))
            await until(pilot, lambda: not (models / "mine.gguf").exists())

    run(go)


def test_checking_names_a_damaged_file(app_of: AppOf, vault_folder: Path, models: Path) -> None:
    (models / "bad.gguf").write_bytes(gguf()[:-1])

    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await opened(app, pilot)
            await pilot.press("c")
            await until(pilot, lambda: any(toast.startswith("Damaged\n") for toast in toasts(app)))
            assert any("bad.gguf is cut short" in toast for toast in toasts(app))

    run(go)


def test_a_hostile_file_shows_harmlessly(app_of: AppOf, vault_folder: Path, models: Path) -> None:
    name = "\x1b]0;owned\x07[red]m\u202eodel["
    (models / f"{name}.gguf").write_bytes(gguf({"general.name": "\x1b[2J[/blink]gone\x9b31m"}))

    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 30)) as pilot:
            found = await opened(app, pilot)
            await choose(pilot, found, "odel[")
            assert "[red]model[" in shown(app)
            assert raw_controls(app) == set()

    run(go)


def test_a_model_in_the_catalogue_is_got_by_one_key_and_never_by_itself(
    app_of: AppOf, vault_folder: Path, models: Path
) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 30)) as pilot:
            found = await opened(app, pilot)
            await choose(pilot, found, "mine")
            await pilot.press("g")
            await pilot.pause()
            assert app.jobs.job is None
            assert load_settings().model == ""

    run(go)


def test_getting_asks_first_and_names_size_and_host(app_of: AppOf, vault_folder: Path, models: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 30)) as pilot:
            found = await opened(app, pilot)
            await choose(pilot, found, default_entry().name)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            assert f"{size(default_entry().size_bytes)} are downloaded from huggingface.co" in words(app)
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, ModelsScreen))
            assert app.jobs.job is None

    run(go)
