"""Files that an older version of noderag has read: the interface says so, and reads them again only when a person agrees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from interfaces.tui.people_notes import ended_job, library, said
from interfaces.tui.screen_text import toasts
from interfaces.tui.waiting import run, until
from textual.pilot import Pilot

from noderag_local.interfaces.tui.jobs.follower import FollowState
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.storage.database.store import Store

AppOf = Callable[..., NoderagApp]


@pytest.fixture
def outdated(people: Path) -> Path:
    """A vault of two notes that an older reader has read."""
    with Store.open(people, write=True) as store, store.transaction():
        store.run("UPDATE files SET read_by = 'markdown 0, sentences 1, chunks 250-350'")
    return people


async def outdated_files(app: NoderagApp) -> int:
    return await app.session.read(lambda vault: vault.atlas.outdated_files())


async def asked(app: NoderagApp, pilot: Pilot[None]) -> None:
    await library(app, pilot, 2)
    await pilot.press("r")
    await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
    await pilot.pause()
    assert said(app, "#question") == "2 files were read by an older version of noderag. Read them again?"


@pytest.mark.parametrize(("key", "left", "line"), [("y", 0, "2 files read again"), ("n", 2, "2 files unchanged")])
def test_indexing_again_asks_whether_to_keep_them(
    app_of: AppOf, outdated: Path, key: str, left: int, line: str
) -> None:
    async def test() -> None:
        app = app_of(outdated)
        async with app.run_test(size=(100, 30)) as pilot:
            await asked(app, pilot)
            await pilot.press(key)
            assert line in (await ended_job(app, pilot)).line
            assert await outdated_files(app) == left

    run(test)


def test_nothing_is_asked_where_all_were_read_by_this_version(app_of: AppOf, people: Path) -> None:
    async def test() -> None:
        app = app_of(people)
        async with app.run_test(size=(100, 30)) as pilot:
            await library(app, pilot, 2)
            await pilot.press("r")
            assert "2 files unchanged" in (await ended_job(app, pilot)).line

    run(test)


def test_following_says_so_and_reads_only_what_changes(app_of: AppOf, outdated: Path, notes: Path) -> None:
    async def test() -> None:
        app = app_of(outdated, follow_folders=True)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            table = await library(app, pilot, 2)
            await until(pilot, lambda: any("2 files that an older version" in toast for toast in toasts(app)))
            await until(pilot, lambda: app.following.state is FollowState.FOLLOWING and app.following.paths)
            (notes / "Lund.md").write_text("# Lund\n\nCid Berg lives in Lund.\n", "utf-8")
            await until(pilot, lambda: table.kept == 3)
            assert await outdated_files(app) == 2

    run(test)
