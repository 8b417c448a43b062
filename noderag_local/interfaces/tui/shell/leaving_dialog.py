"""The dialog for leaving the program while a job is running, or a question is not answered or cannot be kept."""

from __future__ import annotations

from textual.widgets import Button, Label

from noderag_local.interfaces.tui.jobs.jobs import Job, Jobs, JobState
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shell.owner import noderag_of

LEAVE = "Leave noderag?"
DRAFT_LOST = "The question in the box was not sent and will be lost: nothing can be written to the vault."
ANSWER_LOST = (
    "A question is being answered. It, and those that wait for their turn, will stand in the question box next time."
)
JOB_KEPT = "What is done is kept; the same command goes on from there."


class LeavingDialog(ConfirmDialog):
    """Asks once whether to leave, and stops the job first; returns True when the program may end.

    If leaving loses no question, it also returns True when the job ends by itself.
    """

    DEFAULT_CSS = """
    LeavingDialog DialogBox { border: round $warning; }
    """

    def __init__(self, jobs: Jobs, *, has_draft: bool, has_unanswered: bool) -> None:
        """Creates the dialog.

        Args:
            jobs: the job that may be running.
            has_draft: whether a question is written and not sent, and cannot be kept for the next time.
            has_unanswered: whether a question has no complete answer yet.
        """
        lost = [ANSWER_LOST] * has_unanswered + [DRAFT_LOST] * has_draft
        if jobs.is_busy:
            name = jobs.job.kind.value.capitalize() if jobs.job else "Work"
            is_paused = jobs.job is not None and jobs.job.state is JobState.PAUSED
            super().__init__(
                f"{name} is {'paused' if is_paused else 'running'}. Stop it and leave?",
                yes="Stop and leave",
                detail=" ".join([JOB_KEPT, *lost]),
                no="Stay",
            )
        else:
            super().__init__(LEAVE, yes="Leave", detail=" ".join(lost), no="Stay")
        self._jobs = jobs
        self._loses_question = bool(lost)
        self._is_leaving = False

    def on_mount(self) -> None:
        """Subscribes to the end of the job. Textual calls this in addition to the base class's `on_mount`."""
        noderag_of(self).job_changes.subscribe(self, self._job_changed)

    def _job_changed(self, job: Job) -> None:
        if not job.is_over or not self.is_current:
            return
        if self._is_leaving or not self._loses_question:
            self.dismiss(True)
        else:
            self.query_one("#question", Label).update(LEAVE)

    def action_answer(self, is_yes: bool) -> None:
        """Leaves, or returns; a job that is already stopping still stops."""
        if is_yes:
            self.action_leave()
        else:
            self.dismiss(False)

    def action_leave(self) -> None:
        """Stops the job and waits for its clean end; pressed again, does not wait."""
        if self._is_leaving or not self._jobs.is_busy:
            self.dismiss(True)
            return
        self._is_leaving = True
        self._jobs.stop()
        self.query_one("#question", Label).update("Stopping …")
        self.query_one("#detail", Label).update("Waiting for the running step to end. Press y again to leave at once.")
        self.query_one("#yes", Button).label = "Leave at once (y)"
