"""The line at the bottom of every main screen, which shows the running job, the model and the vault."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.content import Content
from textual.widget import Widget

from noderag_local.domain.errors import ModelDamaged, ModelError
from noderag_local.interfaces.tui.jobs.follower import following_line
from noderag_local.interfaces.tui.jobs.jobs import Job, JobState
from noderag_local.interfaces.tui.shared.terminal_text import from_home
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from noderag_local.models.language_model import LanguageModel

ENDED_SECONDS = 20.0
"""Seconds for which the end of a job is shown."""
NO_MODEL = "no model"
ANSWERING = "answering …"
UNREAD_MODELS = "models folder unreadable"
LONGEST_PLACE = 24
"""Maximum length of the vault's path; a longer one is cut."""
SIGNS = {
    JobState.RUNNING: "▶",
    JobState.PAUSED: "‖",
    JobState.STOPPING: "■",
    JobState.DONE: "✓",
    JobState.FAILED: "✗",
}
"""Symbols of job states, shown beside a word with the same meaning."""


class StatusLine(Widget):
    """Shows job, model and vault, and updates itself. Yield it last, before the key line."""

    DEFAULT_CSS = """
    StatusLine {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $text-muted;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._job: Job | None = None
        self._model = ""

    def on_mount(self) -> None:
        """Subscribes to changes of jobs."""
        running = noderag_of(self).jobs.job
        self._job = None if running is None or running.is_over else running
        noderag_of(self).job_changes.subscribe(self, self._job_changed)
        noderag_of(self).setting_changes.subscribe(self, lambda _: self._look_for_model())
        noderag_of(self).answer_changes.subscribe(self, lambda _: self.refresh())
        noderag_of(self).follow_changes.subscribe(self, lambda _: self.refresh())
        noderag_of(self).set_up_changes.subscribe(self, lambda _: self._look_for_model())
        self._look_for_model()

    def _job_changed(self, job: Job) -> None:
        if job.is_over and job.kind.brings_model:
            self._look_for_model()
        self._show(job)

    def _show(self, job: Job | None) -> None:
        self._job = job
        self.refresh()
        if job is not None and job.is_over:
            self.set_timer(ENDED_SECONDS, lambda: self._forget(job))

    def _forget(self, job: Job) -> None:
        if self._job is job:
            self._show(None)

    @work(exclusive=True)
    async def _look_for_model(self) -> None:
        # Reads the headers of the files in the models folder.
        self._model = await asyncio.to_thread(model_name, noderag_of(self).session.model)
        self.refresh()

    @property
    def _model_told(self) -> str:
        """Name of the model that answers, or the progress of its set-up."""
        set_up = noderag_of(self).set_up
        return set_up.line if self._model == NO_MODEL and set_up.line else self._model

    @property
    def _work(self) -> Content:
        """Whether a question is being answered, and the job or how folders are followed."""
        app = noderag_of(self)
        job = Content(following_line(app.following)) if self._job is None else job_line(self._job)
        parts = [Content(ANSWERING)] * app.has_unanswered() + [job] * bool(job)
        return Content(" · ").join(parts)

    def render(self) -> Content:
        """Returns what is at work; then, to the right, the model and the vault, which is cut first."""
        width = self.content_size.width
        job = self._work
        vault = Content(printable(vault_place(noderag_of(self).session.folder)))
        right = Content(printable(self._model_told))
        for text in (Content(" · ").join([right, Content("vault ") + vault]), right, Content("")):
            space = width - text.cell_length - 2
            if space >= min(job.cell_length, width * 2 // 3):
                shown = job.truncate(max(0, space), ellipsis=True)
                return shown + Content(" " * (width - shown.cell_length - text.cell_length)) + text
        return job.truncate(width, ellipsis=True)


def job_line(job: Job) -> Content:
    """Returns a running job as `▶ indexing 43 % · embedding (3 of 4) 1,200 of 2,800 sentences · 290/s · 6 s left`.

    For a finished job it is `✓ Indexed: 14 documents added, in 10 s.`
    """
    line = " ".join(printable(job.line).split())
    if job.state is JobState.DONE:
        return Content(f"{SIGNS[job.state]} {line}")
    parts = [job.state.value] if job.state is not JobState.RUNNING else []
    if job.total and not job.is_over:
        parts.append(f"{round(100 * min(job.done, job.total) / job.total)} %")  # as the bar beside it rounds
    head = " ".join([f"{SIGNS[job.state]} {job.kind.value}", *parts])
    return Content(" · ".join(filter(None, [head, line])))


def vault_place(folder: Path) -> str:
    """Returns a folder's path, or its end if the path is long."""
    path = from_home(folder)
    return path if len(path) <= LONGEST_PLACE else "/".join(["…", *folder.parts[-2:]])


def model_name(model: LanguageModel) -> str:
    """Returns a few words about which model answers; reads the models folder."""
    try:
        return model.name() or NO_MODEL
    except ModelDamaged:
        return "model damaged"
    except ModelError:
        return UNREAD_MODELS
