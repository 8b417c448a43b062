"""The screen of models, which shows their facts and gets, adds, checks, chooses and removes them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from noderag_local.domain.errors import ModelError, SettingsError
from noderag_local.interfaces.tui.jobs.job_panel import JobPanel
from noderag_local.interfaces.tui.jobs.job_screen import JobScreen, start_job
from noderag_local.interfaces.tui.jobs.jobs import Job, JobKind
from noderag_local.interfaces.tui.jobs.model_jobs import adding, fetching
from noderag_local.interfaces.tui.library.path_input import PathInput
from noderag_local.interfaces.tui.models.model_facts import can_be_used, facts, mark, state
from noderag_local.interfaces.tui.settings.setting_change import changed
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shared.listed_screen import ListedScreen
from noderag_local.interfaces.tui.shared.option_lists import ChoiceList
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.models.llm.gguf_files.catalog import ModelRole
from noderag_local.models.llm.gguf_files.installed import check_models, remove_model
from noderag_local.models.llm.gguf_files.model_list import ListedModel, listed_models
from noderag_local.models.llm.gguf_files.part_file import Silent
from noderag_local.models.llm.machine import available_memory_bytes
from noderag_local.system.disk.presence import is_file
from noderag_local.system.paths import absolute
from noderag_local.system.printing.amounts import counted, size

if TYPE_CHECKING:
    from pathlib import Path


class ModelFileDialog(Dialog[Path | None]):
    """Asks for a GGUF file and returns its path; None if the user cancels."""

    DEFAULT_CSS = """
    ModelFileDialog {
        .note { color: $text-muted; margin-bottom: 1; }
        #problem { color: $text-error; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close")]

    def compose(self) -> ComposeResult:
        """Lays out the question, its consequences and the field."""
        with DialogBox():
            yield Label("Which GGUF file?", id="question")
            yield Label(
                "It is copied into the models folder and verified; nothing is fetched. Tab completes the path.",
                classes="note",
            )
            yield PathInput(folders_only=False, suffixes=(".gguf",), placeholder="A file: /media/stick/model.gguf")
            yield Label("", id="problem", markup=False)

    def on_mount(self) -> None:
        """Focuses the field, so that the user can type at once."""
        self.query_one(PathInput).take_focus()

    @on(PathInput.Changed)
    def _typed(self) -> None:
        self.query_one("#problem", Label).update("")

    @on(PathInput.Submitted)
    def _submitted(self, event: PathInput.Submitted) -> None:
        if is_file(event.path):
            self.dismiss(event.path)
        else:
            self.query_one("#problem", Label).update(safe_text(f"{event.path} is no file that can be read."))


SIZE_CELLS = 8
STATE_CELLS = 12


class ModelList(ChoiceList):
    """The list of models, which shows its key for choosing in the line of keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "Use/get", tooltip="Use it, or get it")]


class ModelsScreen(ListedScreen, JobScreen):
    """Shows the models of the catalogue and of the models folder, and the facts about the selected one."""

    TITLE = "Models"
    CSS = """
    ModelsScreen {
        #facts { height: auto; }
        JobPanel { height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "use", "Use it", show=False),
        Binding("g", "get", "Get it", show=False),
        Binding("a", "add", "Add", tooltip="Add a file"),
        Binding("delete,x", "remove", "Remove", key_display="x"),
        Binding("c", "check", "Check", tooltip="Check all files"),
    ]

    def __init__(self) -> None:
        foot = JobPanel("Nothing is fetched unless you ask for it here.")
        super().__init__(ModelList(), [Static(id="facts", markup=False)], [foot])
        self._models: tuple[ListedModel, ...] = ()

    @property
    def _models_dir(self) -> Path:
        return absolute(noderag_of(self).session.settings.models_dir)

    def on_mount(self) -> None:
        """Subscribes to changes of jobs, to show finished downloads."""
        noderag_of(self).job_changes.subscribe(self, self._job_changed)

    def on_screen_resume(self) -> None:
        """Reads the models folder again, since files may have been added or removed."""
        self._look()

    def _job_changed(self, job: Job) -> None:
        if job.kind.brings_model and job.is_over:
            self._look()

    @work(exclusive=True, group="models")
    async def _look(self) -> None:
        settings = noderag_of(self).session.settings
        self.name_place(self._models_dir)
        try:
            self._models = await asyncio.to_thread(
                listed_models, settings.model, self._models_dir, settings.embedding_model
            )
        except ModelError as error:
            self._models = ()
            self.listed.clear_options()
            self.query_one("#facts", Static).update(safe_text(str(error)))
            return
        self.call_after_refresh(self._show_all)

    @property
    def _chosen(self) -> ListedModel | None:
        place = self.listed.highlighted
        return self._models[place] if place is not None and place < len(self._models) else None

    @on(ChoiceList.WidthChanged)
    def _show_all(self) -> None:
        """Shows the models, and the facts about the selected one."""
        if not self._models:
            return
        place = self.listed.highlighted or 0
        name_cells = max(12, self.listed.row_cells - SIZE_CELLS - STATE_CELLS - 9)
        self.listed.set_options(Option(_row(model, name_cells)) for model in self._models)
        self.listed.highlighted = min(place, len(self._models) - 1)
        self._explain()

    @on(OptionList.OptionHighlighted, "#list")
    def _explain(self) -> None:
        model = self._chosen
        if model is not None:
            self.name_row(model.name)
            self.query_one("#facts", Static).update(facts(model, available_memory_bytes()))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides the keys that have no effect on the selected model."""
        model = self._chosen if self.is_mounted else None
        match action:
            case "use":
                return model is not None and can_be_used(model)
            case "get":
                return model is not None and model.entry is not None and model.path is None
            case "remove":
                return model is not None and (model.is_fetched or bool(model.unfinished_bytes))
        return super().check_action(action, parameters)

    @on(OptionList.OptionSelected, "#list")
    def _entered(self) -> None:
        if self.check_action("use", ()):
            self.action_use()
        elif self.check_action("get", ()):
            self.action_get()

    @work(group="use")
    async def action_use(self) -> None:
        """Makes the selected model the one for answers or for embeddings."""
        model = self._chosen
        if model is None or model.path is None:
            return
        session = noderag_of(self).session
        compares = model.role is ModelRole.EMBEDDING
        name, value = ("embedding_model", model.name) if compares else ("model", model.path.stem)
        try:
            settings = await asyncio.to_thread(changed, session.settings, name, value)
        except SettingsError as error:
            self.notify(safe_text(str(error)).plain, severity="error", markup=False)
            return
        told = "compares meanings: the next indexing makes all vectors again." if compares else "answers from now on."
        self.notify(safe_text(f"{model.name} {told}").plain, markup=False)
        # Read before the change, since the session closes what a running job uses only afterwards.
        self.call_after_refresh(self._look)
        await noderag_of(self).change_settings(settings)

    @work(exclusive=True, group="get")
    async def action_get(self) -> None:
        """Asks, then downloads the selected model; resumes an interrupted download."""
        model = self._chosen
        if model is None or model.entry is None or model.path is not None:
            return
        left = size(max(0, model.entry.size_bytes - (model.unfinished_bytes or 0)))
        detail = f"{left} are downloaded from {' or '.join(model.entry.hosts)}; your notes stay here."
        if await self.app.push_screen_wait(ConfirmDialog(f"Get {model.name}?", "Get it", detail)):
            start_job(noderag_of(self), JobKind.FETCH, fetching(noderag_of(self).session, model.entry))

    @work(exclusive=True, group="add")
    async def action_add(self) -> None:
        """Asks for a model file and copies it into the models folder."""
        file = await self.app.push_screen_wait(ModelFileDialog())
        if file is not None:
            start_job(noderag_of(self), JobKind.ADD, adding(noderag_of(self).session, file))

    @work(exclusive=True, group="check")
    async def action_check(self) -> None:
        """Reads every model file completely and compares its hash."""
        self.notify("Reading every model file completely; this takes some seconds a gigabyte.", title="Checking")
        try:
            findings = await asyncio.to_thread(check_models, self._models_dir, Silent())
        except ModelError as error:
            self.notify(safe_text(str(error)).plain, severity="error", markup=False)
            return
        for finding in findings:
            if not finding.good:
                self.notify(
                    safe_text(finding.message).plain, title="Damaged", severity="error", timeout=20, markup=False
                )
        if all(finding.good for finding in findings):
            self.notify(f"{counted(len(findings), 'files')} checked: all are good.", title="Checked")
        self._look()

    @work(exclusive=True, group="remove")
    async def action_remove(self) -> None:
        """Deletes the selected model's file after asking."""
        model = self._chosen
        if model is None:
            return
        freed = model.unfinished_bytes or model.size_bytes
        detail = f"{size(freed)} on the disk are freed." + (" It is the one that answers now." if model.is_used else "")
        if not await self.app.push_screen_wait(ConfirmDialog(f"Remove {model.name}?", "Remove", detail)):
            return
        name = model.path.name if model.path else model.name
        try:
            await asyncio.to_thread(remove_model, name, self._models_dir)
        except ModelError as error:
            self.notify(safe_text(str(error)).plain, severity="error", markup=False)
        self._look()


def _row(model: ListedModel, name_cells: int) -> Content:
    name = on_one_line(model.name).truncate(name_cells, ellipsis=True, pad=True)
    return Content.assemble(
        mark(model), " ", name, "  ", size(model.size_bytes).rjust(SIZE_CELLS), "  ", state(model).ljust(STATE_CELLS)
    )
