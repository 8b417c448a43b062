"""Starts a job from any screen, and shows its end on whatever screen is open then."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from noderag_local.interfaces.tui.jobs.jobs import Control, JobKind, JobState
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.shell.application import NoderagApp

GROUP = "job"
"""Group of the workers that run jobs."""


def start_job(app: NoderagApp, kind: JobKind, work: Callable[[Control], Awaitable[str]]) -> bool:
    """Starts a job as a worker of the app, so that it outlives the screen; a notification shows its end.

    Returns:
        False where another job runs: a toast has said so, and nothing was begun.
    """
    # Workers and not `is_busy`: a worker that was begun a moment ago has not come to run its job yet.
    running = [worker for worker in app.workers if worker.group == GROUP and not worker.is_finished]
    if running:
        app.notify(
            f"{running[0].name.capitalize()} is still running; stop it in the library (f3, s) or wait for its end.",
            title="One job at a time",
            severity="warning",
            markup=False,
        )
        return False
    app.run_worker(_run(app, kind, work), group=GROUP, name=kind.value)
    return True


async def _run(app: NoderagApp, kind: JobKind, work: Callable[[Control], Awaitable[str]]) -> None:
    await app.jobs.run(kind, work)
    job = app.jobs.job
    if job is None:
        return
    # The line may hold names of files and a server's own words.
    line = printable(job.line)
    if job.state is JobState.FAILED:
        app.notify(line, title=f"{kind.value.capitalize()} failed", severity="error", timeout=15, markup=False)
    else:
        app.notify(line, title=f"{kind.value.capitalize()} ended", markup=False)
