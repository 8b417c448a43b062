"""The library: what was indexed, how far each document is, and the work on it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Input, Label

from noderag_local.amounts import counted, size
from noderag_local.errors import NoderagError, VaultMissing
from noderag_local.library import Library, LibraryDocument
from noderag_local.records import Stats
from noderag_local.tui.enriching_job import enriching
from noderag_local.tui.indexing_job import indexing
from noderag_local.tui.job_starts import start_job
from noderag_local.tui.jobs import Job, JobKind, JobState
from noderag_local.tui.text import foreign, on_one_line
from noderag_local.tui.widgets.document_table import DocumentTable, Row, row_of, shortened
from noderag_local.tui.widgets.holdings import Holdings
from noderag_local.tui.widgets.job_panel import JobPanel
from noderag_local.tui.widgets.status_line import StatusLine

if TYPE_CHECKING:
    from noderag_local.store.work_items import ItemCounts
    from noderag_local.tui.app import NoderagApp
    from noderag_local.vault import Vault

    Seen = tuple[Library, list[Row], Stats, tuple[tuple[str, ItemCounts], ...]]

RELOAD_SECONDS = 5.0
"""Between two looks at the vault while something is written to it."""
EMPTY = "Nothing was indexed yet: a adds a folder."


class LibraryScreen(Screen[None]):
    """Documents with their state; jobs are begun, paused and stopped here."""

    CSS_PATH = "library.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "Add"),
        Binding("r", "reindex", "Re-index"),
        Binding("n", "enrich", "Enrich"),
        Binding("space", "pause", "Pause/go on"),
        Binding("s", "stop", "Stop"),
        Binding("slash", "filter", "Filter"),
        Binding("i", "aside", "Figures"),
        Binding("escape", "back", "Back", show=False),
        Binding("down", "documents", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._library: Library | None = None
        self._job_state: JobState | None = None

    @property
    def _noderag(self) -> NoderagApp:
        return cast("NoderagApp", self.app)

    def compose(self) -> ComposeResult:
        """A heading, the job, the documents, and the figures beside them."""
        yield Label("Library", id="library-head")
        yield JobPanel()
        with Horizontal(id="library-body"):
            with Vertical(id="library-main"):
                yield Input(placeholder="Words of a name, a folder or a state", id="filter")
                yield DocumentTable(id="documents")
                yield Label("", id="detail", shrink=True)
            yield Holdings()
        yield StatusLine()
        yield Footer()

    def on_mount(self) -> None:
        """Looks at the vault, now and whenever it changes."""
        self._noderag.job_changes.subscribe(self, self._job_changed)
        self.set_interval(RELOAD_SECONDS, self._reload_while_busy)
        self.query_one(DocumentTable).focus()

    def on_screen_resume(self) -> None:
        """What happened meanwhile is shown."""
        self._load()

    def _job_changed(self, job: Job) -> None:
        # Only then do keys come or go: the footer is made anew by it.
        if job.state is not self._job_state:
            self._job_state = job.state
            self.refresh_bindings()
        if job.is_over and not job.kind.brings_model:
            self._load()

    def _reload_while_busy(self) -> None:
        if self.is_current and self._noderag.jobs.is_busy:
            self._load()

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        try:
            library, rows, stats, stages = await self._noderag.desk.read(_seen)
        except VaultMissing:
            self.query_one(DocumentTable).show([], EMPTY)
            return
        except NoderagError as error:
            self.query_one("#detail", Label).update(foreign(str(error), "$text-error"))
            return
        self._library = library
        self.query_one("#library-head", Label).update(_head(library, stats))
        self.query_one(JobPanel).tell_idle(_tier(library))
        self.query_one(DocumentTable).show(rows, EMPTY)
        self.query_one(Holdings).show(library, stats, stages)

    @on(DocumentTable.Highlighted)
    def _highlighted(self, event: DocumentTable.Highlighted) -> None:
        self.query_one("#detail", Label).update(_detail(event.document))

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        self.query_one(DocumentTable).keep(event.value)

    @on(Input.Submitted, "#filter")
    def _filter_entered(self) -> None:
        self.query_one(DocumentTable).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing now are shown dimmed."""
        if action in ("pause", "stop"):
            return True if self._noderag.jobs.is_busy else None
        return True

    @work
    async def action_add(self) -> None:
        """Asks for a folder and indexes it."""
        from noderag_local.tui.dialogs.adding import AddingDialog

        path = await self.app.push_screen_wait(AddingDialog())
        if path is not None:
            start_job(self._noderag, JobKind.INDEX, indexing(self._noderag.desk, [path]))

    @work
    async def action_reindex(self) -> None:
        """Reads again what has changed in all folders that are still there."""
        folders = self._library.folders if self._library else ()
        there = await asyncio.to_thread(lambda: [folder for folder in folders if Path(folder.path).exists()])
        for folder in folders:
            if folder not in there:
                self._say(f"{shortened(folder.path)} is not there, and what was read of it is left as it is.")
        as_files = [Path(folder.path) for folder in there if not folder.by_lines]
        by_lines = [Path(folder.path) for folder in there if folder.by_lines]
        if there:
            start_job(self._noderag, JobKind.INDEX, indexing(self._noderag.desk, as_files, by_lines))
        elif not folders:
            self._say("Nothing was indexed yet: a adds a folder.")

    @work
    async def action_enrich(self) -> None:
        """Asks how long, and lets the language model read on."""
        from noderag_local.tui.dialogs.budget import BudgetDialog

        if self._noderag.jobs.is_busy:
            self._say("Something is running; s stops it, and what is done is kept.")
            return
        budget = await self.app.push_screen_wait(BudgetDialog())
        if budget is not None:
            start_job(self._noderag, JobKind.ENRICH, enriching(self._noderag.desk, budget))

    def action_pause(self) -> None:
        """Pauses the job, or lets it go on."""
        jobs = self._noderag.jobs
        if jobs.job is not None and jobs.job.state is JobState.PAUSED:
            jobs.resume()
        else:
            jobs.pause()

    def action_stop(self) -> None:
        """Ends the job cleanly."""
        self._noderag.jobs.stop()

    def action_filter(self) -> None:
        """Opens the field that the documents are filtered by."""
        field = self.query_one("#filter", Input)
        field.add_class("-open")
        field.focus()

    def action_aside(self) -> None:
        """Shows or hides the figures."""
        if self.has_class("-wide"):
            self.toggle_class("-aside-shut")
        else:
            self.toggle_class("-aside-open")
            self.query_one(Holdings if self.has_class("-aside-open") else DocumentTable).focus()

    def action_back(self) -> None:
        """Closes what is open: the figures over the documents, then the filter."""
        field = self.query_one("#filter", Input)
        if self.has_class("-aside-open"):
            self.remove_class("-aside-open")
        elif field.has_class("-open"):
            field.value = ""
            field.remove_class("-open")
        self.query_one(DocumentTable).focus()

    def action_documents(self) -> None:
        """From the filter into the documents."""
        self.query_one(DocumentTable).focus()

    def _say(self, text: str) -> None:
        self.app.notify(" ".join(foreign(text).plain.split()), severity="warning", markup=False)


def _seen(vault: Vault) -> Seen:
    """All that the screen shows, rows included, so that the screen's own thread has next to nothing to do."""
    library = vault.library()
    return library, [row_of(document) for document in library.documents], vault.stats(), vault.stages()


def _head(library: Library, stats: Stats) -> Content:
    figures = (
        counted(len(library.folders), "folders"),
        counted(len(library.documents), "documents"),
        f"{size(sum(folder.size_bytes for folder in library.folders))} of text",
        f"vault {size(stats.size_bytes)}",
    )
    return Content.styled("Library", "bold") + Content.styled(f"  {' · '.join(figures)}", "$text-muted")


def _tier(library: Library) -> str:
    """How far the language model's tier is."""
    chunks, read = library.chunks, library.read_chunks
    if not chunks:
        return ""
    if not library.is_complete:
        return "Indexing was stopped before its end: r goes on from there."
    if not read:
        return (
            f"Ready to be asked. The language model has read none of {counted(chunks, 'chunks')} yet: n lets it begin."
        )
    if read < chunks:
        return f"The language model has read {read:,} of {counted(chunks, 'chunks')} ({100 * read // chunks} %): n goes on."
    return f"The language model has read all {counted(chunks, 'chunks')}."


def _detail(document: LibraryDocument | None) -> Content:
    """Where it lies, and what is wrong with it."""
    if document is None:
        return Content("")
    record = f" · record {document.record + 1:,} of {document.of_records:,}" if document.of_records > 1 else ""
    chunks = f" · {counted(document.chunks, 'chunks')}" if document.chunks else ""
    place = on_one_line(f"{shortened(document.path)}{record}{chunks}", "$text-muted")
    return place + Content("\n") + on_one_line(document.reason, "$text-error") if document.reason else place
