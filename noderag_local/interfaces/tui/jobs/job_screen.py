"""The base of the screens that start jobs: keys to pause and stop a job."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from noderag_local.interfaces.tui.jobs.jobs import Job, JobState
from noderag_local.interfaces.tui.shell.owner import noderag_of


class JobScreen(Screen[None]):
    """A screen whose keys for jobs appear when a job begins and vanish when it ends."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause", tooltip="Pause or go on"),
        Binding("s", "stop", "Stop", tooltip="Stop; what is done is kept"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._offered_for: JobState | None = None

    def on_mount(self) -> None:
        """Subscribes to changes of jobs. Textual calls this beside the `on_mount` of a subclass."""
        noderag_of(self).job_changes.subscribe(self, self._offer_job_keys)

    def _offer_job_keys(self, job: Job) -> None:
        # Not at every step of a job: the line of keys is made anew by it.
        if job.state is not self._offered_for:
            self._offered_for = job.state
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides the keys for jobs while no job runs."""
        return action not in ("pause", "stop") or noderag_of(self).jobs.is_busy

    def action_pause(self) -> None:
        """Pauses or resumes the job."""
        jobs = noderag_of(self).jobs
        if jobs.job is not None and jobs.job.state is JobState.PAUSED:
            jobs.resume()
        else:
            jobs.pause()

    def action_stop(self) -> None:
        """Stops the job cleanly; what was done by then is kept."""
        noderag_of(self).jobs.stop()
