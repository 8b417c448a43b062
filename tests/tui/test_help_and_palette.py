"""F1 and the command palette: every key can be found, and everything can be done by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input
from tui.looking import shown, words
from tui.waiting import run, until

from noderag_local.llm.scripted import ScriptedEngine
from noderag_local.tui.app import NoderagApp
from noderag_local.tui.dialogs.help import HelpDialog, key_groups
from noderag_local.tui.dialogs.model_file import ModelFileDialog
from noderag_local.tui.palette import SCREENS
from noderag_local.tui.themes import LIGHT

AppOf = Callable[..., NoderagApp]


async def palette(app: NoderagApp, pilot: Pilot[None], typed: str, wanted: str) -> None:
    """Opens the palette, types, and waits for what is wanted."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, CommandPalette))
    app.screen.query_one(Input).value = typed
    await until(pilot, lambda: wanted in words(app))


@pytest.mark.parametrize(("key", "mode"), [(f"f{number}", mode) for number, mode in enumerate(SCREENS, start=2)])
def test_help_lists_the_keys_of_each_screen_nearest_first(
    app_of: AppOf, vault_folder: Path, key: str, mode: str
) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(100, 60)) as pilot:
            await pilot.press(key)
            await until(pilot, lambda: app.current_mode == mode)
            await pilot.pause()
            groups = key_groups(app.screen)
            await pilot.press("f1")
            await until(pilot, lambda: isinstance(app.screen, HelpDialog))
            assert groups[-1].title == "Everywhere"
            assert {"Chat", "Library", "Explore", "Models", "Settings", "Help"} <= {k.does for k in groups[-1].keys}
            for group in groups[:1]:
                assert group.title in words(app)
                assert all(key.does in words(app) for key in group.keys)
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, HelpDialog))

    run(go)


def test_help_fits_a_small_terminal_and_scrolls(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("f5")
            await until(pilot, lambda: app.current_mode == "models")
            await pilot.press("f1")
            await until(pilot, lambda: isinstance(app.screen, HelpDialog))
            assert "Keys · Models" in shown(app)
            await pilot.press("end")
            await until(pilot, lambda: "Everywhere" in shown(app) or "Settings" in shown(app))

    run(go)


def test_the_palette_leads_to_every_screen(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(100, 40)) as pilot:
            for mode, (name, _) in SCREENS.items():
                await palette(app, pilot, f"go to {name}", f"Go to {name}")
                await pilot.press("enter")
                await until(pilot, lambda mode=mode: app.current_mode == mode)  # type: ignore[misc]

    run(go)


def test_it_does_what_another_screens_key_does(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(100, 40)) as pilot:
            await palette(app, pilot, "models add", "Models: add a file")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ModelFileDialog))
            assert app.current_mode == "models"

    run(go)


def test_it_changes_the_theme(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(100, 40)) as pilot:
            await palette(app, pilot, "theme light", "Theme: light")
            await pilot.press("enter")
            await until(pilot, lambda: app.theme == LIGHT.name)

    run(go)
