"""Follows the folders while the interface is open: a thread waits for changes and indexes them when nothing else is running."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from textual.message import Message

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.progress import IndexReport, Progress
from noderag_local.interfaces.tui.jobs.job_progress import JobProgress
from noderag_local.interfaces.tui.jobs.jobs import Control, Job, JobKind, JobState
from noderag_local.interfaces.tui.jobs.vault_jobs import INDEXING_STAGES, tell_step
from noderag_local.system.paths import outermost
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from textual.message import Message
    from textual.message_pump import MessagePump

    from noderag_local.config import Settings
    from noderag_local.interfaces.tui.jobs.jobs import Jobs
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.vault.index import LoadedModels
    from noderag_local.vault.vault import Vault
    from noderag_local.vault.watch import Followed, Watched


class FollowState(StrEnum):
    """States of following the folders."""

    OFF = "off"
    FOLLOWING = "following"
    READING = "reading"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class FollowingStatus:
    """State of following, as the status line shows it."""

    state: FollowState = FollowState.OFF
    paths: int = 0
    """Number of followed folders and files; 0 while unknown."""
    files: int = 0
    """Number of files being read."""
    line: str = ""
    """Progress of reading, or what following is waiting for."""
    up_to_date: str = ""
    """Time when the last change was read, such as "14:02"; "" before the first."""


NOT_FOLLOWING = FollowingStatus()


class FollowChanged(Message):
    """Posted when the status of following changes."""

    def __init__(self, following: FollowingStatus) -> None:
        self.following = following
        super().__init__()


class NotesChanged(Message):
    """Posted when following has changed the notes in the vault."""


class NotFollowed(Message):
    """Posted once when something cannot be read, permanently or at the moment."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__()


class OutdatedFilesKept(Message):
    """Posted once if files that an older version of noderag has read are not read again."""

    def __init__(self, files: int) -> None:
        self.files = files
        super().__init__()


def following_line(following: FollowingStatus) -> str:
    """Returns the status as one line; "" if nothing is followed."""
    line = " ".join(printable(following.line).split())
    match following.state:
        case FollowState.READING:
            return " · ".join(filter(None, [f"↻ reading {counted(following.files, 'changed files')}", line]))
        case FollowState.WAITING:
            return f"‖ {line}"
        case FollowState.FOLLOWING if following.paths:
            told = f"following {counted(following.paths, 'folders')}"
            return f"{told} · up to date {following.up_to_date}" if following.up_to_date else told
    return ""


LOOK_SECONDS = 0.1
"""Seconds between two checks whether reading may start or continue."""
MANY_FILES = 20
"""Minimum number of files for showing the progress of reading."""
NOTHING = IndexReport(0, 0, 0, 0, 0, (), stopped=True, stages=(), elapsed_seconds=0.0)


class Follower:
    """Follows the folders in a thread; posts `FollowChanged`, `NotesChanged` and `NotFollowed` to the app.

    Jobs take precedence: reading stops when one starts and resumes afterwards. Reading waits while an answer is being written.
    """

    def __init__(self, app: MessagePump, session: Session, jobs: Jobs) -> None:
        self._app = app
        self._session = session
        self._jobs = jobs
        self._thread: _FollowingThread | None = None
        self._rests = False
        self._models: tuple[Settings, LoadedModels] | None = None

    def start(self) -> None:
        """Starts to follow, if the settings say so and a vault exists; if it is already following, checks everything again."""
        self.stop()
        if self._session.settings.follow_folders and self._session.has_vault() and not self._rests:
            self._thread = _FollowingThread(
                self._app, self._session, self._jobs, self._loaded_models, is_first=self._thread is None
            )
            self._thread.start()
        else:
            self._app.post_message(FollowChanged(NOT_FOLLOWING))

    def stop(self) -> None:
        """Stops soon; what has been read is kept."""
        if self._thread is not None:
            self._thread.stop()

    def job_changed(self, job: Job) -> None:
        """Starts again after each job, which may have added folders, but not after indexing that the user stopped."""
        if job.kind is JobKind.INDEX and not job.is_over:
            self._rests = job.state is JobState.STOPPING
        if job.is_over:
            self.start()

    def _loaded_models(self) -> LoadedModels:
        """Loads the models once, in the thread that writes, and again after the settings change."""
        from noderag_local.vault.index import LoadedModels

        settings = self._session.settings
        if self._models is None or self._models[0] is not settings:
            self._models = settings, LoadedModels(settings)
        return self._models[1]


class _FollowingThread(threading.Thread):
    """Runs following once, with its own vault object for reading; the session does the writing."""

    def __init__(
        self, app: MessagePump, session: Session, jobs: Jobs, models: Callable[[], LoadedModels], *, is_first: bool
    ) -> None:
        # A daemon thread, since a check of an unresponsive drive must not keep the program from ending.
        super().__init__(name="following", daemon=True)
        self._app = app
        self._session = session
        self._jobs = jobs
        self._is_stopped = threading.Event()
        self._following = FollowingStatus(FollowState.FOLLOWING)
        self._models = models
        self._is_first = is_first

    def stop(self) -> None:
        self._is_stopped.set()

    def run(self) -> None:
        try:
            with self._session.another_vault() as vault:
                if self._is_first:
                    self._tell_outdated(vault)
                # A whole library is not read again without asking; the library's key r asks.
                vault.watch(
                    keep_old=True,
                    told=self._told,
                    stopped=self._is_stopped.is_set,
                    index=self._index,
                    looked=self._looked,
                )
        except NoderagError as error:
            self._show(replace(self._following, state=FollowState.WAITING, line=str(error)))
            self._post(NotFollowed(str(error)))

    def _tell_outdated(self, vault: Vault) -> None:
        """Posts how many files should be read again because of this version of noderag."""
        if files := vault.atlas.outdated_files():
            self._post(OutdatedFilesKept(files))

    def _post(self, message: Message) -> None:
        if not self._is_stopped.is_set():
            self._app.post_message(message)

    def _show(self, following: FollowingStatus) -> None:
        if following != self._following:
            self._following = following
            self._post(FollowChanged(following))

    def _looked(self, paths: Sequence[Path]) -> None:
        # An inbox in a followed folder is no second folder.
        now = replace(self._following, paths=len(outermost(map(str, paths))))
        rests = now.state is FollowState.WAITING
        self._show(now if rests else replace(now, state=FollowState.FOLLOWING, line=""))

    def _told(self, followed: Followed) -> None:
        if followed.report is None:
            state = FollowState.WAITING if followed.waiting else FollowState.FOLLOWING
            self._show(replace(self._following, state=state, line=followed.waiting))
            if followed.waiting and followed.lost:
                self._post(NotFollowed(followed.waiting))
            return
        now = time.strftime("%H:%M")
        self._show(replace(self._following, state=FollowState.FOLLOWING, line="", up_to_date=now))
        self._post(NotesChanged())
        for skip in followed.unreadable:
            self._post(NotFollowed(skip.told))

    def _index(self, one: Watched, files: int) -> IndexReport:
        if not self._may_begin():
            return NOTHING
        self._show(replace(self._following, state=FollowState.READING, files=files, line=""))
        try:
            return self._session.write_and_wait(lambda vault: self._read(vault, one, files))
        except CancelledError:  # the interface is closing
            return NOTHING

    def _read(self, vault: Vault, one: Watched, files: int) -> IndexReport:
        """Indexes the changes, in the thread that writes."""
        control = Control(lambda line, done, total: self._show(replace(self._following, line=line)))
        progress = JobProgress(control)

        def told(step: Progress) -> None:
            if files >= MANY_FILES:
                tell_step(progress, step, INDEXING_STAGES)

        return vault.index(
            one.paths,
            by_lines=one.by_lines,
            takes_back=one.takes_back,
            keep_old=True,
            models=self._models(),
            progress=told,
            cancelled=self._gives_way,
        )

    def _may_begin(self) -> bool:
        """Waits until no job is running and no answer is being written; returns False if it is stopped before."""
        while self._jobs.is_busy or self._session.is_asked:
            if self._is_stopped.wait(LOOK_SECONDS):
                return False
        return not self._is_stopped.is_set()

    def _gives_way(self) -> bool:
        """Returns whether to stop, for a job or for good; first waits for a running answer. Called when nothing is held open."""
        while self._session.is_asked and not self._is_stopped.is_set():
            self._is_stopped.wait(LOOK_SECONDS)
        return self._is_stopped.is_set() or self._jobs.is_busy
