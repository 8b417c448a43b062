"""Leaving while work is running."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalGroup
from textual.screen import ModalScreen
from textual.widgets import Button, Label

from noderag_local.tui.jobs import Job, Jobs
from noderag_local.tui.text import foreign

if TYPE_CHECKING:
    from noderag_local.tui.app import NoderagApp


class LeavingDialog(ModalScreen[bool]):
    """Asks once. True: the job has ended, and the program may; it closes by itself when the job does."""

    DEFAULT_CSS = """
    LeavingDialog {
        align: center middle;
        VerticalGroup {
            width: 64;
            max-width: 90%;
            padding: 1 2;
            border: round $warning;
            background: $surface;
        }
        Label { width: 1fr; }
        #question { text-style: bold; }
        #detail { color: $text-muted; margin-top: 1; }
        Horizontal { height: auto; align-horizontal: right; margin-top: 1; }
        Button { margin-left: 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "leave", "Stop and leave"),
        Binding("n,escape", "stay", "Stay"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self._jobs = jobs
        self._is_leaving = False

    def compose(self) -> ComposeResult:
        """The question and the two answers."""
        name = self._jobs.job.kind.value.capitalize() if self._jobs.job else "Work"
        with VerticalGroup():
            yield Label(foreign(f"{name} is running. Stop it and leave?"), id="question")
            yield Label("What is done is kept; the same command goes on from there.", id="detail", markup=False)
            with Horizontal():
                yield Button("Stay (n)", id="stay")
                yield Button("Stop and leave (y)", id="leave", variant="warning")

    def on_mount(self) -> None:
        """Looks out for the end of the job."""
        self.query_one("#stay").focus()
        cast("NoderagApp", self.app).job_changes.subscribe(self, self._job_changed)

    def _job_changed(self, job: Job) -> None:
        if job.is_over and self.is_current:
            self.dismiss(True)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "leave":
            self.action_leave()
        else:
            self.action_stay()

    def action_leave(self) -> None:
        """Stops the job and waits for its clean end; pressed again, does not wait."""
        if self._is_leaving or not self._jobs.is_busy:
            self.dismiss(True)
            return
        self._is_leaving = True
        self._jobs.stop()
        self.query_one("#question", Label).update("Stopping …")
        self.query_one("#detail", Label).update("What runs comes to its end. Press y again to leave at once.")
        self.query_one("#leave", Button).label = "Leave at once (y)"

    def action_stay(self) -> None:
        """Goes back to the work; a job that was told to stop still does."""
        self.dismiss(False)
