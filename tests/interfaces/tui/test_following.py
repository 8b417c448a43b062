"""Notes that change while the interface is open are read by themselves, and what is on the screen stays where it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from interfaces.tui.key_navigation import WIDE, Walk, walking
from interfaces.tui.people_notes import library, said
from interfaces.tui.screen_text import toasts, words
from interfaces.tui.waiting import run, until
from textual.pilot import Pilot

from noderag_local.interfaces.tui.jobs.follower import FollowState
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shell.application import NoderagApp

AppOf = Callable[..., NoderagApp]


async def followed(app: NoderagApp, pilot: Pilot[None]) -> None:
    await until(pilot, lambda: app.following.state is FollowState.FOLLOWING and app.following.paths)


def test_a_new_note_comes_into_the_library_and_the_cursor_stays(app_of: AppOf, people: Path, notes: Path) -> None:
    async def test() -> None:
        app = app_of(people, follow_folders=True)
        async with app.run_test(size=(100, 30)) as pilot:
            table = await library(app, pilot, 2)
            await pilot.press("end")
            await until(pilot, lambda: "Oslo.md" in said(app, "#detail"))
            await followed(app, pilot)
            await until(pilot, lambda: "following 1 folder" in words(app))
            (notes / "Lund.md").write_text("# Lund\n\nCid Berg lives in Lund.\n", "utf-8")
            await until(pilot, lambda: table.kept == 3)
            await until(pilot, lambda: "up to date" in words(app))
            assert table.highlighted is not None
            assert table.highlighted.path.endswith("Oslo.md")

    run(test)


def test_an_open_document_that_changes_keeps_its_place(app_of: AppOf, people: Path, notes: Path) -> None:
    async def test() -> None:
        app = app_of(people, follow_folders=True)
        async with app.run_test(size=(100, 30)) as pilot:
            await library(app, pilot, 2)
            await pilot.press("end", "enter")
            reader = app.screen.query_one(NoteReader)
            await until(pilot, lambda: reader.note is not None)
            await followed(app, pilot)
            text = (notes / "Oslo.md").read_text("utf-8")
            (notes / "Oslo.md").write_text(f"{text}\nA new garden was laid out.\n", "utf-8")
            await until(pilot, lambda: "A new garden" in words(app))
            assert reader.view.has_focus and reader.view.top_line == 0

    run(test)


def test_it_waits_while_an_answer_is_being_written(app_of: AppOf, people: Path, notes: Path) -> None:
    async def test() -> None:
        app = app_of(people, follow_folders=True)
        async with app.run_test(size=(100, 30)) as pilot:
            table = await library(app, pilot, 2)
            await followed(app, pilot)
            with app.session.asking():
                (notes / "Lund.md").write_text("# Lund\n\nCid Berg lives in Lund.\n", "utf-8")
                await pilot.pause(4)
                assert table.kept == 2
            await until(pilot, lambda: table.kept == 3)

    run(test)


def test_a_folder_that_is_gone_is_told_and_its_notes_stay(app_of: AppOf, people: Path, notes: Path) -> None:
    async def test() -> None:
        app = app_of(people, follow_folders=True)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            table = await library(app, pilot, 2)
            await followed(app, pilot)
            notes.rename(notes.with_name("elsewhere"))
            await until(pilot, lambda: any("cannot be found" in toast for toast in toasts(app)))
            assert app.following.state is FollowState.WAITING
            notes.with_name("elsewhere").rename(notes)
            await followed(app, pilot)
            assert table.kept == 2

    run(test)


def test_it_can_be_turned_off(app_of: AppOf, people: Path) -> None:
    async def test() -> None:
        app = app_of(people, follow_folders=True)
        async with app.run_test(size=(100, 30)) as pilot:
            await library(app, pilot, 2)
            await followed(app, pilot)
            await app.change_settings(app.session.settings.model_copy(update={"follow_folders": False}))
            await until(pilot, lambda: app.following.state is FollowState.OFF)
            await until(pilot, lambda: "following" not in words(app))

    run(test)


def test_what_cannot_be_read_is_told(app_of: AppOf, people: Path, notes: Path) -> None:
    async def test() -> None:
        app = app_of(people, follow_folders=True)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await library(app, pilot, 2)
            await followed(app, pilot)
            (notes / "broken.md").write_bytes(b"\x00\x01\x02" * 500)
            await until(pilot, lambda: any("broken.md" in toast for toast in toasts(app)))

    run(test)


def test_the_entity_under_the_cursor_stays_under_it(app_of: AppOf, people: Path, notes: Path) -> None:
    async def steps(walk: Walk) -> None:
        entities = await walk.explore()
        await walk.press("end")
        before = entities.step
        assert before is not None
        await followed(walk.app, walk.pilot)
        count = entities.count
        (notes / "Lund.md").write_text("# Lund\n\nCid Berg lives in Lund. Cid Berg is old.\n", "utf-8")
        await walk.until(lambda: entities.count > count)
        assert entities.step == before

    walking(app_of(people, follow_folders=True), steps, WIDE)
