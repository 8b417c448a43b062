"""The first run: chooses a folder, reads it, offers a language model, and opens the chat."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup, VerticalScroll
from textual.content import Content
from textual.widgets import ContentSwitcher, Label, OptionList
from textual.widgets.option_list import Option

from noderag_local.interfaces.tui.jobs.job_panel import JobPanel
from noderag_local.interfaces.tui.jobs.job_screen import JobScreen, start_job
from noderag_local.interfaces.tui.jobs.jobs import Job, JobKind, JobState
from noderag_local.interfaces.tui.jobs.model_jobs import fetching
from noderag_local.interfaces.tui.library.folder_chooser import FolderChooser
from noderag_local.interfaces.tui.library.library_dialogs import start_indexing
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.interfaces.tui.shell.status_line import NO_MODEL, StatusLine, model_name
from noderag_local.system.printing.amounts import size

if TYPE_CHECKING:
    from noderag_local.models.llm.gguf_files.catalog import CatalogEntry


WORDS = (
    "Ask your own notes, and get answers that name the lines they come from. "
    "Everything happens on this machine: what you read in and what you ask never leaves it. "
    "With a screen reader, noderag chat is easier to follow (ctrl+q leaves)."
)
ABOUT_MODELS = (
    "A language model writes the answers; without one, the passages that fit best are the answer. It is fetched once, "
    "and that is all that the network is ever used for. You can do it later as well (f5)."
)
WITHOUT = "Go on without a language model"
FOLDER, WORK, MODEL = "folder", "work", "model"


class WelcomeScreen(JobScreen):
    """Leads through three steps: choosing a folder, reading it, and getting a language model."""

    CSS = """
    WelcomeScreen {
        align-horizontal: center;
        #welcome {
            width: 76;
            max-width: 100%;
            height: 1fr;
            padding: 1 2 0 2;
        }
        #welcome-title { text-style: bold; color: $primary; }
        #welcome-words { width: 1fr; margin-bottom: 1; }
        #welcome.-later #welcome-words { display: none; }
        #welcome.-later #welcome-title { margin-bottom: 1; }
        .question { width: 1fr; text-style: bold; margin-bottom: 1; }
        .muted { width: 1fr; color: $text-muted; margin-top: 1; }
        ContentSwitcher { height: auto; }
        ContentSwitcher > VerticalGroup { height: auto; }
        #models, #models:focus { height: auto; border: none; background: $background; padding: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "go_on", "Go on")]

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[CatalogEntry] = []
        self._awaited: JobKind | None = None
        """The kind of the job that this screen started and that has not ended."""
        self._ended: Job | None = None
        """The job after which the next step is due."""

    @property
    def _step(self) -> str:
        return self.query_one(ContentSwitcher).current or FOLDER

    def compose(self) -> ComposeResult:
        """Lays out the welcome and the three steps, one of which is visible."""
        with VerticalScroll(id="welcome", can_focus=False):
            yield Label("noderag", id="welcome-title")
            yield Label(WORDS, id="welcome-words", markup=False)
            with ContentSwitcher(initial=FOLDER):
                with VerticalGroup(id=FOLDER):
                    yield Label("Which folder holds your notes?", classes="question")
                    yield FolderChooser()
                    yield Label(formats_read(), classes="muted", markup=False)
                with VerticalGroup(id=WORK):
                    yield Label("Reading your notes", classes="question", id="work-title")
                    yield JobPanel()
                    yield Label("", classes="muted", id="work-hint", markup=False)
                with VerticalGroup(id=MODEL):
                    yield Label("Which language model should write the answers?", classes="question")
                    yield OptionList(id="models")
                    yield Label("", classes="muted", id="model-detail")
                    yield Label(ABOUT_MODELS, classes="muted", markup=False)
        yield StatusLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Focuses the field."""
        noderag_of(self).job_changes.subscribe(self, self._job_changed)
        self.query_one(FolderChooser).take_focus()

    def on_screen_resume(self) -> None:
        """Takes the step that became due while another screen or a dialog was open."""
        self._take_next_step()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides the keys that do not belong to the current step."""
        if not self.is_mounted:
            return True
        if action in ("pause", "resume", "stop", "go_on") and self._step != WORK:
            return False
        if action == "go_on":
            return self._is_fetching
        return super().check_action(action, parameters)

    @property
    def _is_fetching(self) -> bool:
        job = noderag_of(self).jobs.job
        return job is not None and job.kind is JobKind.FETCH

    @on(FolderChooser.Chosen)
    def _chosen(self, event: FolderChooser.Chosen) -> None:
        if start_indexing(noderag_of(self), [event.path]):
            self._show_work(
                JobKind.INDEX,
                "Reading your notes",
                "The chat opens when this is done. It can be stopped, and goes on later.",
            )

    def _show_work(self, kind: JobKind, title: str, hint: str) -> None:
        self._awaited = kind
        self.query_one("#work-title", Label).update(title)
        self.query_one("#work-hint", Label).update(hint)
        self._go_to(WORK)
        self.set_focus(None)

    def _go_to(self, step: str) -> None:
        self.query_one(ContentSwitcher).current = step
        self.query_one("#welcome").set_class(step != FOLDER, "-later")
        self.refresh_bindings()

    def _job_changed(self, job: Job) -> None:
        if job.is_over and job.kind is self._awaited:
            self._awaited, self._ended = None, job
            self._take_next_step()

    @property
    def _is_in_front(self) -> bool:
        # `is_current` alone is also true below a dialog.
        return self.is_current and self.app.screen is self

    def _take_next_step(self) -> None:
        """Goes on after the job that ended, unless something else is open; it would be left, or a question of it never seen."""
        job = self._ended
        if job is None or not self._is_in_front:
            return
        self._ended = None
        if job.kind is JobKind.FETCH:
            self._fetched(job)
        elif job.state is JobState.FAILED or not noderag_of(self).session.has_vault():
            self._go_to(FOLDER)
            chooser = self.query_one(FolderChooser)
            chooser.tell(job.line)
            chooser.take_focus()
        else:
            self._offer_models(job)

    def _fetched(self, job: Job) -> None:
        if job.state is JobState.DONE:
            self.action_go_on()
        else:
            self._offer_models(job)

    @work(exclusive=True)
    async def _offer_models(self, job: Job) -> None:
        """Offers models to download after a job; opens the chat at once if a model is installed or being fetched."""
        if (
            noderag_of(self).set_up.is_at_work
            or await asyncio.to_thread(model_name, noderag_of(self).session.model) != NO_MODEL
        ):
            if self._is_in_front:
                self.action_go_on()
            else:
                self._ended = job
            return
        self._entries = await asyncio.to_thread(chat_models)
        options = self.query_one("#models", OptionList)
        options.set_options([*(Option(entry_line(entry)) for entry in self._entries), Option(WITHOUT)])
        self._go_to(MODEL)
        options.highlighted = 0
        options.focus()

    @on(OptionList.OptionHighlighted, "#models")
    def _model_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        entries = self._entries[event.option_index : event.option_index + 1]
        detail = on_one_line(f"{entries[0].description}. Licence: {entries[0].licence}.") if entries else Content("")
        self.query_one("#model-detail", Label).update(detail)

    @on(OptionList.OptionSelected, "#models")
    def _model_chosen(self, event: OptionList.OptionSelected) -> None:
        if event.option_index >= len(self._entries):
            self.action_go_on()
            return
        entry = self._entries[event.option_index]
        if start_job(noderag_of(self), JobKind.FETCH, fetching(noderag_of(self).session, entry)):
            self._show_work(
                JobKind.FETCH, "Fetching the language model", "Enter opens the chat meanwhile; the fetching goes on."
            )

    @work(exclusive=True, group="going on")
    async def action_go_on(self) -> None:
        """Opens the chat."""
        await self.app.switch_mode("chat")


def formats_read() -> str:
    """Returns a sentence that names all readable formats."""
    from noderag_local.ingest.formats.registry import FORMATS, PICTURE, scans_can_be_read

    names = [one.kind for one in FORMATS if one is not PICTURE or scans_can_be_read()]
    return f"Formats: {', '.join(names)}."


def chat_models() -> list[CatalogEntry]:
    """Returns the catalogue's models for answers, the default first."""
    from noderag_local.models.llm.gguf_files.catalog import ModelRole, catalog

    found = [entry for entry in catalog() if entry.role is ModelRole.CHAT]
    return sorted(found, key=lambda entry: not entry.default)


def entry_line(entry: CatalogEntry) -> Content:
    """Returns a model in one line: name and size."""
    return on_one_line(f"Fetch {entry.name}, {size(entry.size_bytes)}{', recommended' if entry.default else ''}")
