"""The settings screen, as a person uses it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from interfaces.tui.screen_text import raw_controls, shown, words
from interfaces.tui.waiting import run, until
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from noderag_local.config import Settings, load_settings
from noderag_local.interfaces.tui.settings.setting_notes import NOTES
from noderag_local.interfaces.tui.settings.settings_screen import SettingsScreen
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.colour_themes import LIGHT
from noderag_local.models.llm.scripted import ScriptedEngine

AppOf = Callable[..., NoderagApp]


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file; it is not there yet."""
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("NODERAG_SETTINGS", str(path))
    return path


async def opened(app: NoderagApp, pilot: Pilot[None], name: str) -> None:
    """The screen, with a setting chosen."""
    await pilot.press("f6")
    await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
    found = app.screen.query_one("#list", OptionList)
    await until(pilot, lambda: found.option_count > 0)
    await pilot.press("home")
    for _ in range(found.option_count):
        if found.highlighted_option is not None and found.highlighted_option.id == name:
            return
        await pilot.press("down")
    raise AssertionError(f"{name} is not listed")


def test_every_setting_has_its_note_and_no_other() -> None:
    assert sorted(NOTES) == sorted(Settings.model_fields)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_it_tells_value_origin_and_effect(app_of: AppOf, vault_folder: Path, size: tuple[int, int]) -> None:
    async def go() -> None:
        app = app_of(vault_folder, budget_tokens=1234)
        async with app.run_test(size=size) as pilot:
            await opened(app, pilot, "budget_tokens")
            text = words(app)
            assert "Context tokens 1234 command line" in text
            assert "default 500" in text
            assert NOTES["budget_tokens"].effect[:40] in text

    run(go)


def test_the_model_that_answers_is_shown_though_none_is_named(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        engine = ScriptedEngine()
        app = app_of(vault_folder, engine)
        async with app.run_test(size=(120, 40)) as pilot:
            await opened(app, pilot, "model")
            await until(pilot, lambda: f"now none named: {engine.name}" in words(app))
            await pilot.press("enter")
            assert app.screen.query_one("#field", Input).value == ""

    run(go)


def test_a_change_is_written_and_holds_at_once(app_of: AppOf, vault_folder: Path, file: Path) -> None:
    file.write_text("# mine\nthreads = 1\n", encoding="utf-8")

    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(100, 30)) as pilot:
            await opened(app, pilot, "budget_tokens")
            await pilot.press("enter", "ctrl+u", *"2000", "enter")
            await until(pilot, lambda: app.session.settings.budget_tokens == 2000)
            assert file.read_text(encoding="utf-8") == "# mine\nthreads = 1\nbudget_tokens = 2000\n"
            assert "2000" in shown(app)
            found = await app.session.read(lambda vault: vault.search("Who keeps Borealis?"))
            assert found.budget_tokens == 2000

    run(go)


def test_a_wrong_value_is_told_beside_the_field_and_nothing_is_written(
    app_of: AppOf, vault_folder: Path, file: Path
) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(app, pilot, "budget_tokens")
            await pilot.press("enter", "ctrl+u", *"3", "enter")
            await until(pilot, lambda: "at least 50" in shown(app))
            assert app.screen.query_one("#field", Input).has_focus
            await pilot.press("escape")
            assert "greater than" not in shown(app)
            assert not app.screen.query_one("#field", Input).display
            assert not file.exists()

    run(go)


def test_space_takes_the_next_choice_and_delete_the_default(app_of: AppOf, vault_folder: Path, file: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(100, 30)) as pilot:
            await opened(app, pilot, "method")
            await pilot.press("space")
            await until(pilot, lambda: app.session.settings.method != "noderag")
            assert load_settings().method == app.session.settings.method
            await pilot.press("delete")
            await until(pilot, lambda: app.session.settings.method == "noderag")
            assert "method" not in file.read_text(encoding="utf-8")

    run(go)


def test_an_unknown_method_or_model_is_refused_with_what_there_is(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(app, pilot, "method")
            await pilot.press("enter", "ctrl+u", *"magic", "enter")
            await until(pilot, lambda: "Choose one of: noderag" in words(app))

    run(go)


def test_a_file_that_was_changed_meanwhile_is_told(app_of: AppOf, vault_folder: Path, file: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        file.write_text('inbox_file = "~/notes/inbox.md"\n', encoding="utf-8")
        async with app.run_test(size=(100, 40)) as pilot:
            await opened(app, pilot, "inbox_file")
            notes = str(app.screen.query_one("#notes", Static).render())
            assert "from changed file" in notes and "the value there is used from the next start" in notes

    run(go)


def test_the_theme_changes_at_once(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(100, 30)) as pilot:
            await opened(app, pilot, "theme")
            await pilot.press("space")
            await until(pilot, lambda: app.theme == LIGHT.name)
            assert load_settings().theme == "light"

    run(go)


def test_a_variable_wins_and_is_named(
    app_of: AppOf, vault_folder: Path, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    monkeypatch.setenv("NODERAG_ANSWER_TOKENS", "77")

    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 30)) as pilot:
            await opened(app, pilot, "answer_tokens")
            assert "NODERAG_ANSWER_TOKENS" in shown(app)
            await pilot.press("enter", "ctrl+u", *"99", "enter")
            await until(pilot, file.exists)
            assert app.session.settings.answer_tokens == 77

    run(go)


def test_a_key_is_never_shown(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, server_key="hush-hush")
        async with app.run_test(size=(120, 40)) as pilot:
            await opened(app, pilot, "server_key")
            assert "hush" not in shown(app)
            await pilot.press("enter", *"other", "enter")
            await until(pilot, lambda: load_settings().server_key.get_secret_value() == "other")
            assert "other" not in shown(app)
            assert raw_controls(app) == set()

    run(go)


def test_a_broken_settings_file_is_told(app_of: AppOf, vault_folder: Path, file: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(app, pilot, "threads")
            file.write_text("threads = \n", encoding="utf-8")
            await pilot.press("enter", "ctrl+u", *"2", "enter")
            await until(pilot, lambda: "cannot be read" in words(app))

    run(go)
