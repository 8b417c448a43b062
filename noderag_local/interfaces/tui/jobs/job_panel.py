"""The panel that shows the running job, or how the last one ended."""

from __future__ import annotations

import time

from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.widgets import Label, ProgressBar

from noderag_local.interfaces.tui.jobs.jobs import Job, JobState
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.interfaces.tui.shell.status_line import SIGNS
from noderag_local.system.printing.amounts import duration

QUIET_SECONDS = 3.0
"""Seconds without progress after which the panel shows how long the step has taken: some steps need half a minute."""
KEYS = {
    JobState.RUNNING: "space pauses · s stops",
    JobState.PAUSED: "space resumes · s stops",
    JobState.STOPPING: "what is done is kept",
}


class JobPanel(VerticalGroup):
    """Shows three lines while a job is running; otherwise a line about the last one, or the text of `tell_idle`."""

    DEFAULT_CSS = """
    JobPanel {
        padding: 0 1;
        background: $surface;
        Label { width: 1fr; }
        #job-head { text-style: bold; }
        #job-keys { color: $text-muted; }
        ProgressBar { width: 1fr; Bar { width: 1fr; } }
        .-hidden { display: none; }
    }
    JobPanel.-failed #job-line { color: $text-error; }
    """

    def __init__(self, idle: str = "", *, keys: bool = True, id: str | None = None) -> None:
        """Creates the panel.

        Args:
            idle: text before the first job.
            keys: whether to show the keys that pause and stop.
            id: id of the widget.
        """
        super().__init__(id=id)
        self._idle = idle
        self._keys = keys
        self._shown: Job | None = None
        self._news_at = 0.0

    def compose(self) -> ComposeResult:
        """Lays out a heading, a bar and a line with numbers."""
        yield Label("", id="job-head")
        yield ProgressBar(show_eta=False, id="job-bar")
        yield Label("", id="job-line", shrink=True)

    def on_mount(self) -> None:
        """Subscribes to changes of jobs."""
        app = noderag_of(self)
        app.job_changes.subscribe(self, self.show)
        self.show(app.jobs.job)
        self.set_interval(1.0, self._tell_quiet)

    def _tell_quiet(self) -> None:
        job = self._shown
        quiet = time.monotonic() - self._news_at
        is_at_work = job is not None and not job.is_over and job.state is not JobState.PAUSED
        if job is not None and is_at_work and quiet >= QUIET_SECONDS:
            line = on_one_line(job.line) + Content.styled(f" · {duration(quiet)} on this step", "$text-muted")
            self.query_one("#job-line", Label).update(line)

    def tell_idle(self, text: str) -> None:
        """Sets the text that is shown while no job is running."""
        self._idle = text
        self.show(noderag_of(self).jobs.job)

    def show(self, job: Job | None) -> None:
        """Shows a job's progress."""
        if job is None or self._shown is None or (job.line, job.state) != (self._shown.line, self._shown.state):
            self._news_at = time.monotonic()
        self._shown = job
        runs = job is not None and not job.is_over
        self.query_one("#job-head").set_class(not runs, "-hidden")
        self.query_one("#job-bar").set_class(not runs, "-hidden")
        self.set_class(job is not None and job.state is JobState.FAILED, "-failed")
        line = self.query_one("#job-line", Label)
        if job is None or not runs:
            line.update(_idle_line(job, self._idle))
            return
        state = "" if job.state is JobState.RUNNING else f", {job.state.value}"
        keys = f"   {KEYS[job.state]}" if self._keys else ""
        head = Content(f"{SIGNS[job.state]} {job.kind.value.capitalize()}{state}")
        self.query_one("#job-head", Label).update(head + Content.styled(keys, "$text-muted not bold"))
        # With None as total, the bar moves back and forth, since the amount is unknown.
        self.query_one(ProgressBar).update(total=job.total or None, progress=job.done)
        line.update(on_one_line(job.line))


def _idle_line(job: Job | None, idle: str) -> Content:
    if job is None:
        return on_one_line(idle)
    last = on_one_line(f"{SIGNS[job.state]} {job.line}")
    return last + Content("\n") + on_one_line(idle) if idle else last
