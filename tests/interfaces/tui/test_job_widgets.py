"""The status line, the job panel, the questions and toasts about a job that runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from interfaces.tui.screen_text import shown, toasts
from interfaces.tui.waiting import run, until
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Label, Static

from noderag_local.domain.errors import StoreError
from noderag_local.interfaces.tui.jobs.job_panel import QUIET_SECONDS, JobPanel
from noderag_local.interfaces.tui.jobs.job_screen import start_job
from noderag_local.interfaces.tui.jobs.jobs import Control, Job, JobKind, JobState
from noderag_local.interfaces.tui.jobs.vault_jobs import enriching_line
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.interfaces.tui.shell.leaving_dialog import LeavingDialog
from noderag_local.interfaces.tui.shell.status_line import StatusLine, job_line
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.pipeline.enrichment_report import EnrichProgress

AppOf = Callable[..., NoderagApp]
SECONDS_OF_WORK = 30.0
"""After which work ends that nobody stops."""


class Foot(Screen[None]):
    """What a main screen has, and no more."""

    def compose(self) -> ComposeResult:
        yield Static("")
        yield JobPanel("Nothing has run.")
        yield StatusLine()


async def long_work(control: Control) -> str:
    """Goes on until it is stopped."""
    control.progress("embedding (3 of 4) 20 of 80 sentences · 4/s · 15 s left", 20, 80)
    while not control.cancelled():
        await asyncio.sleep(0.01)
    return "Stopped: 2 documents added; indexing again goes on from there."


async def foot(app: NoderagApp) -> Foot:
    screen = Foot()
    await app.push_screen(screen)
    return screen


def line_of(screen: Screen[Any]) -> str:
    return screen.query_one(StatusLine).render().plain


def said(screen: Screen[Any], name: str) -> str:
    return str(screen.query_one(name, Label).content)


async def begin(app: NoderagApp, pilot: Pilot[Any]) -> None:
    assert start_job(app, JobKind.INDEX, long_work)
    await until(pilot, lambda: app.jobs.job and app.jobs.job.done)


@pytest.fixture
def app(app_of: AppOf, vault_folder: Path) -> NoderagApp:
    return app_of(vault_folder, ScriptedEngine())


def test_the_status_line_tells_the_job_the_model_and_the_vault(app: NoderagApp) -> None:
    async def test() -> None:
        async with app.run_test(size=(120, 24)) as pilot:
            screen = await foot(app)
            await until(pilot, lambda: "scripted · vault" in line_of(screen))
            assert line_of(screen).rstrip().endswith("/vault")
            await begin(app, pilot)
            await until(pilot, lambda: "▶ indexing 25 % · embedding (3 of 4) 20 of 80" in line_of(screen))
            app.jobs.stop()
            await until(pilot, lambda: "✓ Stopped: 2 documents" in line_of(screen))

    run(test)


def test_the_status_line_says_where_no_model_answers(app_of: AppOf, vault_folder: Path) -> None:
    async def test() -> None:
        app = app_of(vault_folder)
        async with app.run_test(size=(120, 24)) as pilot:
            screen = await foot(app)
            await until(pilot, lambda: "no model · vault" in line_of(screen))

    run(test)


def test_the_status_line_of_every_screen_tells_that_a_question_is_being_answered(app: NoderagApp) -> None:
    async def test() -> None:
        async with app.run_test(size=(120, 24)) as pilot:
            screen = await foot(app)
            await begin(app, pilot)
            await until(pilot, lambda: "▶ indexing" in line_of(screen))
            app.has_unanswered = lambda: True
            assert line_of(screen).startswith("answering … · ▶ indexing 25 %")
            app.jobs.stop()
            await until(pilot, lambda: not app.jobs.is_busy)

    run(test)


def test_a_narrow_status_line_keeps_the_job(app: NoderagApp) -> None:
    async def test() -> None:
        async with app.run_test(size=(40, 24)) as pilot:
            screen = await foot(app)
            await begin(app, pilot)
            await until(pilot, lambda: "▶ indexing 25 % ·" in line_of(screen))
            assert len(line_of(screen)) <= 38
            app.jobs.stop()
            await until(pilot, lambda: not app.jobs.is_busy)

    run(test)


def test_what_a_job_says_is_shown_as_text() -> None:
    line = job_line(Job(JobKind.FETCH, JobState.FAILED, "a\x1b]0;x\x07 [bold]b[/]\nc"))
    assert line.plain == "✗ fetching a model failed · a]0;x [bold]b[/] c"
    assert line.spans == []


def test_the_panel_names_the_keys_and_then_the_end(app: NoderagApp) -> None:
    async def test() -> None:
        async with app.run_test() as pilot:
            screen = await foot(app)
            assert said(screen, "#job-line") == "Nothing has run."
            await begin(app, pilot)
            await until(pilot, lambda: "space pauses" in said(screen, "#job-head"))
            app.jobs.pause()
            await until(pilot, lambda: "Indexing, paused" in said(screen, "#job-head"))
            app.jobs.stop()
            await until(pilot, lambda: said(screen, "#job-line").startswith("✓ Stopped: 2 documents"))

    run(test)


def test_space_pauses_and_resumes_and_the_line_of_keys_says_which(app: NoderagApp) -> None:
    async def test() -> None:
        async with app.run_test(size=(120, 30)) as pilot:
            await pilot.press("f3")
            await begin(app, pilot)
            await until(pilot, lambda: "space Pause" in shown(app))
            await pilot.press("space")
            await until(pilot, lambda: "space Resume" in shown(app))
            assert app.jobs.job is not None and app.jobs.job.state is JobState.PAUSED
            await pilot.press("space")
            await until(pilot, lambda: "space Pause" in shown(app))
            app.jobs.stop()
            await until(pilot, lambda: not app.jobs.is_busy)

    run(test)


def test_no_time_is_counted_while_a_job_is_paused(app: NoderagApp) -> None:
    async def test() -> None:
        async with app.run_test() as pilot:
            screen = await foot(app)
            await begin(app, pilot)
            await until(pilot, lambda: "on this step" in said(screen, "#job-line"))
            app.jobs.pause()
            await until(pilot, lambda: "Indexing, paused" in said(screen, "#job-head"))
            await pilot.pause(QUIET_SECONDS + 1.1)
            assert "on this step" not in said(screen, "#job-line")
            app.jobs.stop()
            await until(pilot, lambda: not app.jobs.is_busy)

    run(test)


def test_the_model_s_reading_is_told_in_plain_words_with_the_time_that_was_chosen() -> None:
    step = EnrichProgress("decompose", 12, 465, 84.2, 540, 0.03)
    assert enriching_line(step, Budget(seconds=600)) == (
        "reading passage 12 of 465 · about 9 min left · 10 min chosen · "
        "3 % of its statements dropped, since the notes do not say them"
    )
    assert enriching_line(EnrichProgress("decompose", 1, 465), Budget()) == "reading passage 1 of 465"


def test_the_end_of_a_job_is_told_wherever_a_person_is(app: NoderagApp) -> None:
    async def test() -> None:
        async with app.run_test(notifications=True) as pilot:
            await begin(app, pilot)
            app.jobs.stop()
            await until(pilot, lambda: toasts(app))
            assert toasts(app)[0].startswith("Indexing ended\n")

            async def failing(_: Control) -> str:
                raise StoreError("the disk is full\x1b[2J")

            assert start_job(app, JobKind.ENRICH, failing)
            await until(pilot, lambda: "Enriching failed\nthe disk is full[2J" in toasts(app))

    run(test)


def test_a_second_job_is_refused_politely(app: NoderagApp) -> None:
    async def test() -> None:
        async with app.run_test(notifications=True) as pilot:
            assert start_job(app, JobKind.INDEX, long_work)
            # Within the same moment, before the first one has come to run.
            assert not start_job(app, JobKind.FETCH, long_work)
            await until(pilot, lambda: toasts(app))
            assert toasts(app)[0].startswith("One job at a time\n")
            await until(pilot, lambda: app.jobs.is_busy)
            app.jobs.stop()
            await until(pilot, lambda: not app.jobs.is_busy)

    run(test)


def test_the_work_of_a_paused_job_ends_with_an_interface_that_fails(app: NoderagApp) -> None:
    """Nobody is there any more to resume or stop it, and the program waits for its threads."""
    outcomes: list[bool] = []

    def in_a_thread(control: Control) -> str:
        last = time.monotonic() + SECONDS_OF_WORK
        while time.monotonic() < last and (control.paused() or not control.cancelled()):
            time.sleep(0.01)
        outcomes.append(control.cancelled())
        return "Stopped."

    async def test() -> None:
        async with app.run_test() as pilot:
            work = lambda control: app.session.write(lambda _: in_a_thread(control))  # noqa: E731
            assert start_job(app, JobKind.INDEX, work)
            await until(pilot, lambda: app.jobs.is_busy)
            app.jobs.pause()

    run(test)
    app.session.close()
    assert outcomes == [True]


class TestLeaving:
    def test_staying_changes_nothing(self, app: NoderagApp) -> None:
        async def test() -> None:
            async with app.run_test() as pilot:
                await begin(app, pilot)
                await pilot.press("ctrl+q")
                await until(pilot, lambda: isinstance(app.screen, LeavingDialog))
                assert "Indexing is running" in said(app.screen, "#question")
                await pilot.press("enter")  # the harmless answer has the focus
                assert not isinstance(app.screen, LeavingDialog)
                assert app.jobs.is_busy
                app.jobs.stop()
                await until(pilot, lambda: not app.jobs.is_busy)

        run(test)

    def test_a_paused_job_is_called_so(self, app: NoderagApp) -> None:
        async def test() -> None:
            async with app.run_test() as pilot:
                await begin(app, pilot)
                app.jobs.pause()
                await pilot.press("ctrl+q")
                await until(pilot, lambda: isinstance(app.screen, LeavingDialog))
                assert "Indexing is paused" in said(app.screen, "#question")
                await pilot.press("y")
                await until(pilot, lambda: not app.is_running)

        run(test)

    def test_leaving_stops_the_job_first(self, app: NoderagApp) -> None:
        async def test() -> None:
            async with app.run_test() as pilot:
                await begin(app, pilot)
                await pilot.press("ctrl+q")
                await until(pilot, lambda: isinstance(app.screen, LeavingDialog))
                await pilot.press("y")
                await until(pilot, lambda: not app.is_running)
            assert app.jobs.job is not None
            assert app.jobs.job.state is JobState.DONE

        run(test)


@pytest.mark.parametrize(("keys", "answer"), [(["y"], True), (["n"], False), (["escape"], False), (["enter"], False)])
def test_a_question_is_answered_by_a_key(app: NoderagApp, keys: list[str], answer: bool) -> None:
    async def test() -> None:
        answers: list[bool | None] = []
        async with app.run_test() as pilot:
            app.push_screen(ConfirmDialog("Remove [b]it[/]?", "Remove", "For good."), answers.append)
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog) and app.focused)
            assert said(app.screen, "#question") == "Remove [b]it[/]?"
            await pilot.press(*keys)
            await until(pilot, lambda: answers)
        assert answers == [answer]

    run(test)
