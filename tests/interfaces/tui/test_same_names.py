"""Same name? As a person goes through it: by keys, over a real vault."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from interfaces.tui.key_navigation import WIDE, Walk, walking
from interfaces.tui.people_notes import indexed, said
from textual.widgets import Input, Label, OptionList

from noderag_local.config import load_settings
from noderag_local.interfaces.tui.explore.explore_screen import ExploreScreen
from noderag_local.interfaces.tui.explore.merge_dialog import MergeDialog
from noderag_local.interfaces.tui.explore.same_names_dialog import NONE_LEFT, NOTHING_TO_UNDO, SameNamesDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.vault.vault import Vault

AppOf = Callable[..., NoderagApp]
SECONDS_OF_WORK = 30.0
"""After which work ends that nobody ends."""


def write_notes(folder: Path) -> Path:
    """Two notes that spell a name in two ways."""
    folder.mkdir()
    (folder / "trip.md").write_text("# Trip\n\nKatharina Weber drove to Porto with Anna Costa.\n", "utf-8")
    (folder / "list.md").write_text("# List\n\nKatarina Weber met Anna Costa in Porto.\n", "utf-8")
    return folder


def merged(folder: Path) -> list[str]:
    """The names that stand for others."""
    with Vault(folder, load_settings(models_dir=folder / "no-models")) as vault:
        return [one.name for one in vault.names.merged()]


def test_yes_no_and_undo(app_of: AppOf, tmp_path: Path) -> None:
    folder = indexed(write_notes(tmp_path / "notes"), tmp_path / "vault")

    async def steps(walk: Walk) -> None:
        entities = await walk.explore()
        before = entities.count
        await walk.press("4")
        await walk.until(lambda: isinstance(walk.app.screen, SameNamesDialog))
        await walk.until(lambda: walk.one(OptionList).option_count == 1)
        await walk.until(lambda: "met Anna Costa in Porto" in said(walk.app, "#same-first Label"))
        assert "drove to Porto" in str(walk.app.screen.query_one("#same-second Label", Label).content)
        await walk.press("n")
        await walk.until(lambda: said(walk.app, "#same-told").startswith("Apart:"))
        await walk.press("u")
        await walk.until(lambda: said(walk.app, "#same-told").startswith("Open again:"))
        assert merged(folder) == []
        await walk.press("y")
        await walk.until(lambda: said(walk.app, "#same-told").startswith("One now:"))
        await walk.press("escape")
        await walk.until(lambda: isinstance(walk.app.screen, ExploreScreen) and entities.count == before - 1)
        assert len(merged(folder)) == 1

    walking(app_of(folder), steps, WIDE)


@asynccontextmanager
async def job_that_writes(app: NoderagApp) -> AsyncIterator[None]:
    """A job during which everything else that writes must wait."""
    has_ended = threading.Event()
    writing = asyncio.create_task(app.session.write(lambda _: has_ended.wait(SECONDS_OF_WORK)))
    try:
        yield
    finally:
        has_ended.set()
        await writing


def test_decisions_that_wait_for_a_job_are_kept_though_the_dialog_is_closed(app_of: AppOf, tmp_path: Path) -> None:
    folder = indexed(write_notes(tmp_path / "notes"), tmp_path / "vault")

    async def steps(walk: Walk) -> None:
        entities = await walk.explore()
        before = entities.count
        async with job_that_writes(walk.app):
            await walk.press("4")
            await walk.until(lambda: isinstance(walk.app.screen, SameNamesDialog))
            await walk.until(lambda: walk.one(OptionList).option_count == 1)
            await walk.press("n", "u", "y", "escape")
            await walk.until(lambda: isinstance(walk.app.screen, ExploreScreen))
            assert merged(folder) == []
        await walk.until(lambda: entities.count == before - 1)
        assert len(merged(folder)) == 1

    walking(app_of(folder), steps, WIDE)


def test_a_merge_that_waits_for_a_job_is_kept_whatever_is_pressed(app_of: AppOf, tmp_path: Path) -> None:
    folder = indexed(write_notes(tmp_path / "notes"), tmp_path / "vault")

    async def steps(walk: Walk) -> None:
        entities = await walk.explore()
        await walk.press("slash", *"costa", "enter")
        await walk.until(lambda: entities.step is not None and entities.step.name == "Anna Costa")
        async with job_that_writes(walk.app):
            await walk.press("5")
            await walk.until(lambda: isinstance(walk.app.screen, MergeDialog))
            await walk.press(*"Porto", "enter")
            await walk.until(lambda: isinstance(walk.app.screen, ExploreScreen))
            await walk.press("5")
            await walk.until(lambda: isinstance(walk.app.screen, MergeDialog))
            await walk.press("escape", "4")
            await walk.until(lambda: isinstance(walk.app.screen, SameNamesDialog))
        await walk.until(lambda: any("are now read as one" in one.message for one in walk.app._notifications))
        assert len(merged(folder)) == 1

    walking(app_of(folder), steps, WIDE)


def test_any_two_names_are_merged_by_hand(app_of: AppOf, tmp_path: Path) -> None:
    notes = write_notes(tmp_path / "notes")
    (notes / "call.md").write_text("# Call\n\nI told Miss Penny about Porto.\n", "utf-8")
    folder = indexed(notes, tmp_path / "vault")

    async def steps(walk: Walk) -> None:
        entities = await walk.explore()
        before = entities.count
        await walk.press("slash", *"costa", "enter")
        await walk.until(lambda: entities.step is not None and entities.step.name == "Anna Costa")
        await walk.press("5")
        await walk.until(lambda: isinstance(walk.app.screen, MergeDialog))
        assert "noderag names undo 'Anna Costa' NAME" in said(walk.app, "#hint")
        await walk.press(*"Nobody", "enter")
        await walk.until(lambda: "Nobody" in said(walk.app, "#problem"))
        assert walk.one(Input).value == "Nobody"
        assert merged(folder) == []
        await walk.press("ctrl+u", *"miss")
        assert said(walk.app, "#problem") == ""
        await walk.until(lambda: walk.one(Input)._suggestion == "Miss Penny")
        await walk.press("right", "enter")
        await walk.until(lambda: merged(folder))
        await walk.press("slash", "ctrl+u")
        await walk.until(lambda: entities.count == before - 1)
        await walk.press("escape", "4")
        await walk.until(lambda: isinstance(walk.app.screen, SameNamesDialog))
        await walk.until(lambda: walk.one(OptionList).option_count == 1)
        await walk.press("u")
        await walk.until(lambda: said(walk.app, "#same-told") == "Open again: Anna Costa | Miss Penny.")
        assert merged(folder) == []

    walking(app_of(folder), steps, WIDE)


def test_where_there_is_nothing_to_decide_it_says_so(app_of: AppOf, notes: Path, tmp_path: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.explore()
        await walk.press("4")
        await walk.until(lambda: isinstance(walk.app.screen, SameNamesDialog))
        await walk.until(lambda: said(walk.app, "#same-told") == NONE_LEFT)
        await walk.press("y", "n", "u")
        await walk.until(lambda: said(walk.app, "#same-told") == NOTHING_TO_UNDO)
        await walk.press("escape")
        await walk.until(lambda: isinstance(walk.app.screen, ExploreScreen))

    walking(app_of(indexed(notes, tmp_path / "vault")), steps, WIDE)
