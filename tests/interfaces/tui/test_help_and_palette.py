"""F1 and the command palette: every key can be found, and everything can be done by its name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from interfaces.tui.screen_text import lines, shown, toasts, words
from interfaces.tui.waiting import run, until
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input, Markdown

from noderag_local.interfaces.tui.library.backup_dialog import BackupDialog
from noderag_local.interfaces.tui.models.models_screen import ModelFileDialog
from noderag_local.interfaces.tui.shared.help_dialog import PLACES, HelpDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.colour_themes import LIGHT
from noderag_local.interfaces.tui.shell.palette import SCREENS
from noderag_local.manual.pages import linked, pages
from noderag_local.models.llm.scripted import ScriptedEngine

AppOf = Callable[..., NoderagApp]


async def palette(app: NoderagApp, pilot: Pilot[None], typed: str, wanted: str) -> None:
    """Opens the palette, types, and waits for what is wanted."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, CommandPalette))
    app.screen.query_one(Input).value = typed
    await until(pilot, lambda: wanted in words(app))


@pytest.mark.parametrize(("key", "mode"), [(f"f{number}", mode) for number, mode in enumerate(SCREENS, start=2)])
def test_help_opens_the_manual_at_the_page_for_each_screen(
    app_of: AppOf, vault_folder: Path, key: str, mode: str
) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(100, 60)) as pilot:
            await pilot.press(key)
            await until(pilot, lambda: app.current_mode == mode)
            await pilot.press("f1")
            await until(pilot, lambda: "Manual · The interface" in shown(app))
            section = linked(PLACES[mode][0])
            assert section is not None
            await until(pilot, lambda: section.title in lines(app)[4] + lines(app)[5])
            await pilot.press("f1")
            await until(pilot, lambda: not isinstance(app.screen, HelpDialog))

    run(go)


def test_every_place_in_the_manual_that_a_screen_leads_to_is_there() -> None:
    assert set(PLACES) == set(NoderagApp.MODES)
    for links in PLACES.values():
        for link in links:
            assert linked(link) is not None, link


def test_help_is_searched_as_one_types_and_leads_back(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(100, 40)) as pilot:
            await pilot.press("f1")
            await until(pilot, lambda: "Ask a question." in shown(app))
            await pilot.press(*"exit", "space", *"codes")
            await until(pilot, lambda: "Commands › Exit codes" in shown(app))
            await pilot.press("enter")
            await until(pilot, lambda: "Manual · Commands" in shown(app) and "stopped by Ctrl-C" in shown(app))
            await pilot.press("ctrl+b")
            await until(pilot, lambda: "Manual · The interface" in shown(app) and "Ask a question." in shown(app))
            await pilot.press(*"xyzzy")
            await until(pilot, lambda: "The manual has nothing about this." in shown(app))
            await pilot.press("enter", "escape")
            await until(pilot, lambda: "Ask a question." in shown(app))
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, HelpDialog))

    run(go)


def test_help_lists_all_pages_and_its_links_lead_to_others(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(100, 40)) as pilot:
            await pilot.press("f1", "ctrl+l")
            await until(pilot, lambda: all(one.title in shown(app) for one in pages()))
            await pilot.press("enter")
            await until(pilot, lambda: "Manual · The manual" in shown(app))
            text = app.screen.query_one(Markdown)
            text.post_message(Markdown.LinkClicked(text, "settings.md#all-settings"))
            await until(pilot, lambda: "Manual · Settings" in shown(app) and "All settings" in shown(app))
            text.post_message(Markdown.LinkClicked(text, "https://example.org"))
            await pilot.pause()
            assert "Manual · Settings" in shown(app)

    run(go)


def test_help_fits_a_small_terminal_and_scrolls(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("f1")
            await until(pilot, lambda: "Ask a question." in shown(app))
            await pilot.press("pagedown", "down")
            await until(pilot, lambda: "Ask a question." not in shown(app))
            await pilot.press("pageup", "up")
            await until(pilot, lambda: "Ask a question." in shown(app))

    run(go)


def test_ctrl_c_says_in_plain_words_how_to_leave(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(notifications=True) as pilot:
            await pilot.press("ctrl+c")
            await until(pilot, lambda: toasts(app))
            assert toasts(app) == ["Ctrl-Q leaves noderag."]

    run(go)


def test_the_order_of_the_palette_depends_on_nothing_but_the_screen() -> None:
    """Textual keeps the providers in a set: with a second one, which comes first would depend on their places in memory."""
    assert len(NoderagApp.COMMANDS) == 1
    for mode, (_, class_name) in SCREENS.items():
        screen = getattr(import_module(f"noderag_local.interfaces.tui.{mode}.{mode}_screen"), class_name)
        assert not screen.COMMANDS, class_name


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


def test_it_finds_the_backup(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(100, 40)) as pilot:
            await palette(app, pilot, "backup", "Library: make a backup of the vault")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, BackupDialog))

    run(go)


def test_it_changes_the_theme(app_of: AppOf, vault_folder: Path) -> None:
    async def go() -> None:
        app = app_of(vault_folder, ScriptedEngine())
        async with app.run_test(size=(100, 40)) as pilot:
            await palette(app, pilot, "theme light", "Theme: light")
            await pilot.press("enter")
            await until(pilot, lambda: app.theme == LIGHT.name)

    run(go)
