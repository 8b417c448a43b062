"""The day in the interface, by keys over a real vault."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from helpers.note_files import written_notes
from interfaces.tui.key_navigation import NARROW, WIDE, Walk, walking
from interfaces.tui.screen_text import raw_controls, shown
from interfaces.tui.waiting import run, until
from textual.widgets import Static

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.reader.node_page import NodePage
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.today.day_entries import FEW
from noderag_local.vault.vault import Vault

AppOf = Callable[..., NoderagApp]
TASKS = FEW + 4


@pytest.fixture
def day_vault(tmp_path: Path) -> Path:
    today = date.today()
    tasks = "\n".join(f"- [ ] task {number}" for number in range(TASKS))
    notes = {
        "plan.md": f"# Plan\n\nDentist on {today + timedelta(2)}.\n\n- [ ] pay by {today - timedelta(3)}\n{tasks}\n",
        "bad.md": f"# \x1b]0;owned\x07[bold]\n\n[@click=app.quit]y[/] \u202e on {today + timedelta(1)}.\n",
    }
    folder = tmp_path / "day"
    with Vault(folder, load_settings(models_dir=folder / "no-models")) as vault:
        vault.index([written_notes(tmp_path / "notes", notes)])
    return folder


class LateWish(Static):
    """Asks the reader for a note while the application closes, and keeps its place until the widgets beside it are gone."""

    async def on_unmount(self) -> None:
        self.screen.query_one(NoteReader).refresh_page()
        await asyncio.sleep(0.3)


def test_a_note_that_is_asked_for_while_the_application_closes_is_not_read(app_of: AppOf, day_vault: Path) -> None:
    async def go() -> None:
        app = app_of(day_vault)
        async with app.run_test(size=WIDE) as pilot:
            await pilot.press("f8")
            await until(pilot, lambda: "3 days late" in shown(app))
            await pilot.press("down", "enter")
            await until(pilot, lambda: app.screen.query_one(NoteReader).note)
            await app.screen.query_one(NoteReader).mount(LateWish())

    run(go)


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_a_line_opens_its_note_and_escape_comes_back(app_of: AppOf, day_vault: Path, size: tuple[int, int]) -> None:
    async def steps(walk: Walk) -> None:
        await walk.press("f8")
        await walk.until(lambda: "3 days late" in shown(walk.app))
        assert raw_controls(walk.app) == set()
        assert "Appointments" in shown(walk.app)
        await walk.press("down", "enter")
        await walk.until(lambda: walk.one(NoteReader).has_focus_within)
        assert (await walk.source()).text.startswith("Dentist on")
        await walk.press("escape")
        assert walk.app.screen.query_one("#today-lines", NodePage).has_focus

    walking(app_of(day_vault), steps, size)


def test_long_parts_are_listed_whole_by_a_key(app_of: AppOf, day_vault: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.press("f8")
        await walk.until(lambda: walk.app.current_mode == "today" and "3 days late" in shown(walk.app))
        lines = walk.app.screen.query_one("#today-lines", NodePage)
        assert f"{TASKS + 1 - FEW} more: a lists all" in shown(walk.app)
        before = lines.option_count
        await walk.press("a")
        await walk.until(lambda: lines.option_count == before + TASKS - FEW)
        await walk.press("a")
        await walk.until(lambda: lines.option_count == before)

    walking(app_of(day_vault), steps, WIDE)


def test_it_edits_the_file_at_the_line(app_of: AppOf, day_vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "'")

    app = app_of(day_vault)

    async def go() -> None:
        async with app.run_test(size=WIDE, notifications=True) as pilot:
            await pilot.press("f8")
            await until(pilot, lambda: "3 days late" in shown(app))
            await pilot.press("down", "e")
            await until(pilot, lambda: "EDITOR cannot be read" in shown(app))
            await pilot.press("end", "e")
            await until(pilot, lambda: shown(app).count("EDITOR cannot be read") == 2)

    run(go)


def test_without_notes_it_says_what_to_do(app_of: AppOf, tmp_path: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.press("f8")
        await walk.until(lambda: "Nothing was indexed yet: press f3, then a" in shown(walk.app))

    walking(app_of(tmp_path / "none"), steps)
