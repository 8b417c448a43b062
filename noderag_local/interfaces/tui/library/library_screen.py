"""The screen of the library: the indexed documents with their states, and jobs on them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Label

from noderag_local.domain.errors import NoderagError, VaultMissing
from noderag_local.domain.graph import NodeType
from noderag_local.domain.holdings import Stats
from noderag_local.interfaces.tui.jobs.job_panel import JobPanel
from noderag_local.interfaces.tui.jobs.job_screen import JobScreen, start_job
from noderag_local.interfaces.tui.jobs.jobs import Job, JobKind
from noderag_local.interfaces.tui.jobs.vault_jobs import enriching, forgetting
from noderag_local.interfaces.tui.library.document_row import Row, row_of
from noderag_local.interfaces.tui.library.document_table import DocumentTable
from noderag_local.interfaces.tui.library.vault_figures import VaultFigures, document_line, library_head, library_tier
from noderag_local.interfaces.tui.reader.navigation import NavigationStep
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shared.open_file import is_for_editor, open_file
from noderag_local.interfaces.tui.shared.terminal_text import from_home, safe_text
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.interfaces.tui.shell.status_line import StatusLine
from noderag_local.system.disk.presence import is_there
from noderag_local.vault.browsing.library import Library

if TYPE_CHECKING:
    from noderag_local.storage.backup.backups import Backup
    from noderag_local.storage.graph.work_items import ItemCounts
    from noderag_local.vault.vault import Vault

    Seen = tuple[Library, list[Row], Stats, tuple[tuple[str, ItemCounts], ...], Backup | None]

RELOAD_SECONDS = 5.0
"""Seconds between two readings of the vault while something is written to it."""
EMPTY = "Nothing was indexed yet: a adds a folder."


class LibraryScreen(JobScreen):
    """Shows the documents, and starts, pauses and stops jobs."""

    AUTO_FOCUS = (
        "DocumentTable"  # not the filter, which is hidden, but would get the first keys before the styles apply
    )
    CSS_PATH = "library.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "Add", tooltip="Index a folder or file"),
        Binding("slash", "filter", "Filter"),
        Binding("n", "enrich", "Enrich", tooltip="Let the language model read on"),
        Binding("d", "forget", "Forget", tooltip="Forget this document"),
        Binding("r", "reindex", "Re-index", tooltip="Read again what has changed"),
        Binding("e", "edit", "Edit", tooltip="Edit this document"),
        Binding("i", "aside", "Figures"),
        Binding("b", "back_up", "Backup", tooltip="Make a backup of the vault"),
        Binding("D", "forget_folder", "Forget folder", tooltip="Forget a whole folder"),
        Binding("backspace", "page_back", "Page before", show=False),
        Binding("escape", "back", "Back", show=False),
        Binding("down", "documents", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._library: Library | None = None
        self._has_backups = False

    def compose(self) -> ComposeResult:
        """Lays out heading, job, documents and numbers."""
        yield Label("Library", id="library-head")
        yield JobPanel()
        with Horizontal(id="library-body"):
            with Vertical(id="library-main"):
                yield Input(placeholder="Words of a name, a folder or a state", id="filter")
                yield DocumentTable(id="documents")
                yield Label("", id="detail", shrink=True)
            yield NoteReader()
            yield VaultFigures()
        yield StatusLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Reads the vault now and whenever it changes."""
        noderag_of(self).job_changes.subscribe(self, self._job_changed)
        noderag_of(self).note_changes.subscribe(self, lambda _: self._notes_changed())
        self.set_interval(RELOAD_SECONDS, self._reload_while_busy)
        self.query_one(DocumentTable).focus()

    def on_screen_resume(self) -> None:
        """Shows what changed while another screen was open."""
        self._load()

    def _job_changed(self, job: Job) -> None:
        if job.is_over and not job.kind.brings_model:
            self._notes_changed()

    def _notes_changed(self) -> None:
        self._load()
        if self.has_class("-reading"):
            self.query_one(NoteReader).refresh_page()

    def _reload_while_busy(self) -> None:
        if self.is_current and noderag_of(self).jobs.is_busy:
            self._load()

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        try:
            library, rows, stats, stages, backed_up = await noderag_of(self).session.read(_seen)
        except VaultMissing:
            self.query_one(DocumentTable).show([], EMPTY)
            return
        except NoderagError as error:
            self.query_one("#detail", Label).update(safe_text(str(error), "$text-error"))
            return
        self._library, self._has_backups = library, backed_up is not None
        self.query_one("#library-head", Label).update(library_head(library, stats, backed_up))
        self.query_one(JobPanel).tell_idle(library_tier(library))
        self.query_one(DocumentTable).show(rows, EMPTY)
        self.query_one(VaultFigures).show(library, stats, stages, backed_up)

    @on(DocumentTable.Highlighted)
    def _highlighted(self, event: DocumentTable.Highlighted) -> None:
        self.query_one("#detail", Label).update(document_line(event.document))

    @on(DocumentTable.Chosen)
    def _chosen(self, event: DocumentTable.Chosen) -> None:
        self.remove_class("-aside-open")
        self.add_class("-reading")
        reader, document = self.query_one(NoteReader), event.row.document
        if document.node:
            reader.open(NavigationStep(NodeType.DOCUMENT, document.node, event.row.name))
        else:
            reader.say(document.reason)
        reader.focus_shown()

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        self.query_one(DocumentTable).keep(event.value)

    @on(Input.Submitted, "#filter")
    def _filter_entered(self) -> None:
        self.query_one(DocumentTable).focus()

    @work
    async def action_add(self) -> None:
        """Asks for a folder and indexes it."""
        from noderag_local.interfaces.tui.library.folder_chooser import AddingDialog

        path = await self.app.push_screen_wait(AddingDialog())
        if path is not None:
            await self._index([path])

    @work
    async def action_reindex(self) -> None:
        """Reads again what has changed in all folders that still exist."""
        folders = self._library.folders if self._library else ()
        there = await asyncio.to_thread(lambda: [folder for folder in folders if is_there(folder.path)])
        for folder in folders:
            if folder not in there:
                self._say(f"{from_home(folder.path)} is not there, and what was read of it is left as it is.")
        as_files = [Path(folder.path) for folder in there if not folder.by_lines]
        by_lines = [Path(folder.path) for folder in there if folder.by_lines]
        if there:
            await self._index(as_files, by_lines)
        elif not folders:
            self._say("Nothing was indexed yet: a adds a folder.")

    async def _index(self, as_files: Sequence[Path], by_lines: Sequence[Path] = ()) -> None:
        """Starts indexing; if files would be read again because of a new version of noderag, asks first."""
        from noderag_local.interfaces.tui.library.library_dialogs import read_again_question, start_indexing

        keep_old = False
        if outdated := await self._outdated([*as_files, *by_lines]):
            keep_old = not await self.app.push_screen_wait(read_again_question(outdated))
        start_indexing(noderag_of(self), as_files, by_lines, keep_old=keep_old)

    async def _outdated(self, paths: Sequence[Path]) -> int:
        """Returns how many unchanged files would be read again; 0 if another job is running."""
        if noderag_of(self).jobs.is_busy:
            return 0
        try:
            return await noderag_of(self).session.read(lambda vault: vault.atlas.outdated_files(paths))
        except NoderagError:
            # There is no vault yet, or indexing itself will report what is wrong with it.
            return 0

    @work
    async def action_enrich(self) -> None:
        """Asks for a budget and starts the job in which the language model reads the notes."""
        from noderag_local.interfaces.tui.jobs.budget_dialog import BudgetDialog

        if not self._may_begin():
            return
        budget = await self.app.push_screen_wait(BudgetDialog())
        if budget is not None:
            start_job(noderag_of(self), JobKind.ENRICH, enriching(noderag_of(self).session, budget))

    @work
    async def action_forget(self) -> None:
        """Asks, then removes the file of the document under the cursor from the vault."""
        document = self.query_one(DocumentTable).highlighted
        if document is not None and self._may_begin():
            await self._forget(document.path, is_file=True)

    @work
    async def action_forget_folder(self) -> None:
        """Asks for a folder, then removes it from the vault."""
        from noderag_local.interfaces.tui.library.library_dialogs import FolderDialog

        if self._library is None or not self._library.folders or not self._may_begin():
            return
        path = await self.app.push_screen_wait(FolderDialog(self._library.folders))
        if path is not None:
            await self._forget(path, is_file=False)

    async def _forget(self, path: str, *, is_file: bool) -> None:
        from noderag_local.interfaces.tui.library.library_dialogs import forgetting_question

        documents = self._library.within(path) if self._library else ()
        question = forgetting_question(path, len(documents), is_file=is_file, in_backups=self._has_backups)
        if await self.app.push_screen_wait(question):
            self._close_reader()
            start_job(noderag_of(self), JobKind.FORGET, forgetting(noderag_of(self).session, [Path(path)]))

    @work
    async def action_back_up(self) -> None:
        """Asks for a folder, then makes a backup of the vault there."""
        from noderag_local.interfaces.tui.jobs.vault_jobs import backing_up
        from noderag_local.interfaces.tui.library.backup_dialog import BackupDialog
        from noderag_local.storage.backup.backups import FOLDER_NAME

        if not self._may_begin():
            return
        session = noderag_of(self).session
        place = await self.app.push_screen_wait(BackupDialog(session.folder / FOLDER_NAME))
        if place is not None:
            start_job(noderag_of(self), JobKind.BACKUP, backing_up(session, place))

    def action_edit(self) -> None:
        """Opens the document in the user's editor at the line that is read.

        A document that is not text is first shown as text, and then opened with the desktop's program if the user wants that.
        """
        table = self.query_one(DocumentTable)
        is_read = self.has_class("-reading")
        place = self.query_one(NoteReader).place if is_read else None
        if place is not None:
            open_file(self, place.path, place.line, place.place)
        elif table.highlighted is not None and (is_read or is_for_editor(table.highlighted.path)):
            open_file(self, table.highlighted.path, 1)
        elif table.highlighted is not None:
            table.action_choose()
            self.notify("This is its text as it was read. e opens the file itself.", markup=False)

    def action_filter(self) -> None:
        """Opens the filter."""
        field = self.query_one("#filter", Input)
        field.add_class("-open")
        field.focus()

    def action_aside(self) -> None:
        """Shows or hides the numbers."""
        self._close_reader()
        if self.has_class("-wide"):
            self.toggle_class("-aside-shut")
        else:
            self.toggle_class("-aside-open")
            self.query_one(VaultFigures if self.has_class("-aside-open") else DocumentTable).focus()

    def action_back(self) -> None:
        """Closes what is open: a page, the numbers over the documents, or the filter."""
        field = self.query_one("#filter", Input)
        if self.has_class("-reading"):
            self.action_page_back()
            return
        if self.has_class("-aside-open"):
            self.remove_class("-aside-open")
        elif field.has_class("-open") or field.value:
            field.value = ""
            field.remove_class("-open")
        self.query_one(DocumentTable).focus()

    def action_page_back(self) -> None:
        """Goes back one page; from the first page, returns to the documents."""
        if self.has_class("-reading") and not self.query_one(NoteReader).back():
            self._close_reader()

    def _close_reader(self) -> None:
        if self.has_class("-reading"):
            self.remove_class("-reading")
            self.query_one(DocumentTable).focus()

    def action_documents(self) -> None:
        """Moves the focus from the filter to the documents."""
        self.query_one(DocumentTable).focus()

    def _may_begin(self) -> bool:
        """Returns whether no job is running; otherwise shows a warning."""
        if noderag_of(self).jobs.is_busy:
            self._say("Something is running; s stops it, and what is done is kept.")
            return False
        return True

    def _say(self, text: str) -> None:
        self.app.notify(" ".join(safe_text(text).plain.split()), severity="warning", markup=False)


def _seen(vault: Vault) -> Seen:
    """Returns everything that the screen shows, including rows, so that little work is left for the screen's own thread."""
    library = vault.atlas.library()
    rows = [row_of(document) for document in library.documents]
    return library, rows, vault.stats(), vault.enrichment.stages(), vault.safety.newest_backup()
