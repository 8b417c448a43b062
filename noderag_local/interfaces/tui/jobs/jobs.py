"""Runs long work that writes, one job at a time, with progress; any screen can pause and stop it."""

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
    """Kinds of jobs, named as their headings show them."""

    INDEX = "indexing"
    ENRICH = "enriching"
    FETCH = "fetching a model"
    ADD = "adding a model"
    FORGET = "forgetting"
    BACKUP = "backing up"

    @property
    def changes_notes(self) -> bool:
        """Whether the job may change the documents in the vault."""
        return self in (JobKind.INDEX, JobKind.FORGET)

    @property
    def brings_model(self) -> bool:
        """Whether the job may change the language model and leaves the notes unchanged."""
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
    """What the job is doing; at its end, what it did or why it failed."""
    done: int = 0
    total: int = 0
    """Amount of work; 0 if unknown."""

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
    """Receives a job's progress and says whether to continue; safe in any thread."""

    def __init__(self, tell: Callable[[str, int, int], None]) -> None:
        self._tell = tell
        self.is_cancelled = self.is_paused = False

    def progress(self, line: str, done: int, total: int) -> None:
        """Reports the job's progress."""
        self._tell(line, done, total)

    def cancelled(self) -> bool:
        """Returns whether to stop; jobs check this often."""
        return self.is_cancelled

    def paused(self) -> bool:
        """Returns whether to start nothing new; jobs check this often."""
        return self.is_paused


class Jobs:
    """Runs jobs and posts `JobChanged` to the app whenever one makes progress."""

    def __init__(self, app: MessagePump) -> None:
        self._app = app
        self._control: Control | None = None
        self._moving = threading.Lock()
        """Guards the job, since its thread reports progress while the user may pause it."""
        self.job: Job | None = None
        """The running job or the last one; None before the first."""

    @property
    def is_busy(self) -> bool:
        """Whether a job is running."""
        return self.job is not None and not self.job.is_over

    async def run(self, kind: JobKind, work: Callable[[Control], Awaitable[str]]) -> bool:
        """Runs a job and returns whether it succeeded.

        Args:
            kind: kind of the job.
            work: does the work and returns one line about the result.

        Raises:
            RuntimeError: another job is running.
        """
        if self.is_busy:
            raise RuntimeError("one job at a time")
        self._control = control = Control(self._told)
        self._set(Job(kind))
        try:
            line = await work(control)
        except NoderagError as error:
            _log.error("%s failed", kind, exc_info=error)
            self._set(Job(kind, JobState.FAILED, str(error)))
            return False
        except BaseException:
            # The worker thread continues after its awaiter is cancelled, and the program cannot end before the thread does.
            control.is_cancelled, control.is_paused = True, False
            self._set(Job(kind, JobState.FAILED, "It ended unexpectedly; what was done is kept."))
            raise
        _log.info("%s ended", kind)
        self._set(Job(kind, JobState.DONE, line))
        return True

    def pause(self) -> None:
        """Pauses the job: nothing new starts until `resume`, but running work finishes."""
        if self._control and self._move(JobState.PAUSED, JobState.RUNNING):
            self._control.is_paused = True

    def resume(self) -> None:
        """Continues after `pause`."""
        if self._control and self._move(JobState.RUNNING, JobState.PAUSED):
            self._control.is_paused = False

    def stop(self) -> None:
        """Stops the job cleanly; what has been done is kept."""
        if self._control and self._move(JobState.STOPPING, JobState.RUNNING, JobState.PAUSED):
            self._control.is_cancelled = True
            self._control.is_paused = False

    def _told(self, line: str, done: int, total: int) -> None:
        with self._moving:
            if self.job and not self.job.is_over:
                self._set(replace(self.job, line=line, done=done, total=total))

    def _move(self, state: JobState, *before: JobState) -> bool:
        """Changes the job's state, if it is one of `before`; returns whether it was."""
        with self._moving:
            if self.job is None or self.job.state not in before:
                return False
            self._set(replace(self.job, state=state))
            return True

    def _set(self, job: Job) -> None:
        self.job = job
        self._app.post_message(JobChanged(job))
