"""The field for a path, as a person uses it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from interfaces.tui.waiting import run, until
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from noderag_local.interfaces.tui.library.path_input import PathInput


class Asking(App[None]):
    """A field and nothing else."""

    def __init__(self, value: str) -> None:
        super().__init__()
        self.value = value
        self.submitted: list[Path] = []

    def compose(self) -> ComposeResult:
        yield PathInput(self.value)
        yield Input(id="next")

    def on_mount(self) -> None:
        self.query_one(PathInput).take_focus()

    def on_path_input_submitted(self, event: PathInput.Submitted) -> None:
        self.submitted.append(event.path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("alpha", "alphabet", "beta"):
        (tmp_path / name / "inner").mkdir(parents=True)
    return tmp_path


@asynccontextmanager
async def asking(value: str) -> AsyncIterator[tuple[Asking, PathInput, Pilot[Any]]]:
    """The field, when it has looked up what it begins with."""
    app = Asking(value)
    async with app.run_test() as pilot:
        await settled(pilot)
        yield app, app.query_one(PathInput), pilot


async def settled(pilot: Pilot[Any]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def offered(field: PathInput) -> list[str]:
    found = field.query_one(OptionList)
    return [Path(str(option.prompt)).name for option in found.options] if found.has_class("-open") else []


def test_tab_goes_on_as_far_as_one_way_leads(folder: Path) -> None:
    async def test() -> None:
        async with asking(f"{folder}/a") as (_, field, pilot):
            assert offered(field) == ["alpha", "alphabet"]
            await press(pilot, "tab")
            assert field.value == f"{folder}/alpha"
            await press(pilot, "b", "tab")
            assert field.value == f"{folder}/alphabet/"
            assert offered(field) == ["inner"]

    run(test)


def test_the_arrows_choose_and_enter_takes_before_it_submits(folder: Path) -> None:
    async def test() -> None:
        async with asking(f"{folder}/") as (app, field, pilot):
            await press(pilot, "down", "down", "down", "enter")
            assert (field.value, app.submitted) == (f"{folder}/beta/", [])
            await press(pilot, "enter")
            assert app.submitted == [folder / "beta"]

    run(test)


def test_up_from_the_field_reaches_the_last_one_and_down_comes_back(folder: Path) -> None:
    async def test() -> None:
        async with asking(f"{folder}/") as (_, field, pilot):
            choices = field.query_one(OptionList)
            await press(pilot, "up")
            assert choices.highlighted == 2
            await press(pilot, "down")
            assert choices.highlighted is None

    run(test)


def test_escape_closes_the_list_and_then_tab_leaves_the_field(folder: Path) -> None:
    async def test() -> None:
        async with asking(f"{folder}/") as (app, field, pilot):
            await press(pilot, "escape")
            assert offered(field) == []
            await press(pilot, "tab")
            assert app.focused is app.query_one("#next")

    run(test)


def test_the_home_folder_may_be_written_short(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("HOME", str(folder))

    async def test() -> None:
        async with asking("~/beta") as (app, field, pilot):
            await press(pilot, "enter")
            assert app.submitted == [folder / "beta"]
            await until(pilot, lambda: offered(field) == [])

    run(test)
