"""Runs long work that writes: one job at a time, with progress, which any screen can pause and stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from textual.message import Message
from textual.message_pump import MessagePump

from noderag_local.domain.errors import NoderagError

_log = logging.getLogger(__name__)


class JobKind(StrEnum):
    """Kinds of jobs, with their headings."""

    INDEX = "indexing"
    ENRICH = "enriching"
    FETCH = "fetching a model"
    ADD = "adding a model"
    FORGET = "forgetting"

    @property
    def changes_notes(self) -> bool:
        """Whether other documents may be in the vault afterwards."""
        return self in (JobKind.INDEX, JobKind.FORGET)

    @property
    def brings_model(self) -> bool:
        """Whether another language model may be there afterwards, and the notes are as they were."""
        return self in (JobKind.FETCH, JobKind.ADD)


class JobState(StrEnum):
    """States of a job."""

    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it is shown."""

    kind: JobKind
    state: JobState = JobState.RUNNING
    line: str = ""
    """What the job does now; at its end what it did, or why it failed."""
    done: int = 0
    total: int = 0
    """0 where it is not known."""

    @property
    def is_over(self) -> bool:
        """Whether the job has ended."""
        return self.state in (JobState.DONE, JobState.FAILED)


class JobChanged(Message):
    """Posted when the job makes progress or another one begins."""

    def __init__(self, job: Job) -> None:
        self.job = job
        super().__init__()


class Control:
    """Takes a job's progress and tells it whether to go on; safe from any thread."""

    def __init__(self, tell: Callable[[str, int, int], None]) -> None:
        self._tell = tell
        self.is_cancelled = self.is_paused = False

    def progress(self, line: str, done: int, total: int) -> None:
        """Reports the job's progress."""
        self._tell(line, done, total)

    def cancelled(self) -> bool:
        """Returns whether to stop; jobs ask often."""
        return self.is_cancelled

    def paused(self) -> bool:
        """Returns whether to start nothing new; jobs ask often."""
        return self.is_paused


class Jobs:
    """Runs jobs and posts `JobChanged` to the app whenever one makes progress."""

    def __init__(self, app: MessagePump) -> None:
        self._app = app
        self._control: Control | None = None
        self._moving = threading.Lock()
        """The job's own thread tells its progress while a person's key pauses it."""
        self.job: Job | None = None
        """The one that runs, or the last one; None before the first."""

    @property
    def is_busy(self) -> bool:
        """Whether a job runs."""
        return self.job is not None and not self.job.is_over

    async def run(self, kind: JobKind, work: Callable[[Control], Awaitable[str]]) -> bool:
        """Runs a job and returns whether it succeeded.

        Args:
            kind: what the job is called.
            work: does it and returns one line about what was done.

        Raises:
            RuntimeError: another one runs.
        """
        if self.is_busy:
            raise RuntimeError("one job at a time")
        self._control = Control(self._told)
        self._set(Job(kind))
        try:
            line = await work(self._control)
        except NoderagError as error:
            _log.error("%s failed", kind, exc_info=error)
            self._set(Job(kind, JobState.FAILED, str(error)))
            return False
        except BaseException:
            self._set(Job(kind, JobState.FAILED, "It ended unexpectedly; what was done is kept."))
            raise
        _log.info("%s ended", kind)
        self._set(Job(kind, JobState.DONE, line))
        return True

    def pause(self) -> None:
        """Pauses: nothing new starts until `resume`; work that runs finishes."""
        if self._control and self._move(JobState.PAUSED, JobState.RUNNING):
            self._control.is_paused = True

    def resume(self) -> None:
        """Continues after `pause`."""
        if self._control and self._move(JobState.RUNNING, JobState.PAUSED):
            self._control.is_paused = False

    def stop(self) -> None:
        """Stops the job cleanly; what was done is kept."""
        if self._control and self._move(JobState.STOPPING, JobState.RUNNING, JobState.PAUSED):
            self._control.is_cancelled = True
            self._control.is_paused = False

    def _told(self, line: str, done: int, total: int) -> None:
        with self._moving:
            if self.job and not self.job.is_over:
                self._set(replace(self.job, line=line, done=done, total=total))

    def _move(self, state: JobState, *before: JobState) -> bool:
        """Moves the job from one of these states to another; returns whether it was in one of them."""
        with self._moving:
            if self.job is None or self.job.state not in before:
                return False
            self._set(replace(self.job, state=state))
            return True

    def _set(self, job: Job) -> None:
        self.job = job
        self._app.post_message(JobChanged(job))
