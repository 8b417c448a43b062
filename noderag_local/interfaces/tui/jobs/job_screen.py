"""Starts jobs, and provides screens with the keys that pause and stop them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from noderag_local.interfaces.tui.jobs.jobs import Control, Job, JobKind, JobState
from noderag_local.interfaces.tui.shared.workers import start_worker
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.shell.application import NoderagApp


GROUP = "job"
"""Group of the workers that run jobs."""


def start_job(app: NoderagApp, kind: JobKind, work: Callable[[Control], Awaitable[str]]) -> bool:
    """Starts a job as a worker of the app, so that it survives the screen; a notification shows its end.

    Returns:
        False if another job is running; a notification has then said so.
    """
    # Checks the workers instead of `is_busy`, since a worker that has just started has not reached its job yet.
    running = [worker for worker in app.workers if worker.group == GROUP and not worker.is_finished]
    if running:
        app.notify(
            f"{running[0].name.capitalize()} is still running; stop it in the library (f3, s) or wait for its end.",
            title="One job at a time",
            severity="warning",
            markup=False,
        )
        return False
    start_worker(app, partial(_run, app, kind, work), GROUP, name=kind.value)
    return True


async def _run(app: NoderagApp, kind: JobKind, work: Callable[[Control], Awaitable[str]]) -> None:
    await app.jobs.run(kind, work)
    job = app.jobs.job
    if job is None:
        return
    # The line may contain file names and a server's own words.
    line = printable(job.line)
    if job.state is JobState.FAILED:
        app.notify(line, title=f"{kind.value.capitalize()} failed", severity="error", timeout=15, markup=False)
    else:
        app.notify(line, title=f"{kind.value.capitalize()} ended", markup=False)


class JobScreen(Screen[None]):
    """A screen with keys for jobs, which are visible only while a job is running."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause"),
        Binding("space", "resume", "Resume", tooltip="Go on after a pause"),
        Binding("s", "stop", "Stop", tooltip="Stop; what is done is kept"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._offered_for: JobState | None = None

    def on_mount(self) -> None:
        """Subscribes to changes of jobs. Textual calls this in addition to a subclass's `on_mount`."""
        noderag_of(self).job_changes.subscribe(self, self._offer_job_keys)

    def _offer_job_keys(self, job: Job) -> None:
        # Not at every step of a job, since it rebuilds the line of keys.
        if job.state is not self._offered_for:
            self._offered_for = job.state
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides the keys for jobs that have no effect now."""
        jobs = noderag_of(self).jobs
        is_paused = jobs.job is not None and jobs.job.state is JobState.PAUSED
        if action in ("pause", "resume"):
            return jobs.is_busy and is_paused is (action == "resume")
        return action != "stop" or jobs.is_busy

    def action_pause(self) -> None:
        """Pauses the job."""
        noderag_of(self).jobs.pause()

    def action_resume(self) -> None:
        """Resumes the paused job."""
        noderag_of(self).jobs.resume()

    def action_stop(self) -> None:
        """Stops the job cleanly; what has been done is kept."""
        noderag_of(self).jobs.stop()
