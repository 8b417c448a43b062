"""Dialogs that ask before documents are forgotten or read again, and after indexing for a model for the notes' languages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from noderag_local.interfaces.tui.jobs.job_screen import start_job
from noderag_local.interfaces.tui.jobs.jobs import JobKind
from noderag_local.interfaces.tui.jobs.vault_jobs import indexing
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog
from noderag_local.interfaces.tui.shared.terminal_text import from_home, on_one_line
from noderag_local.system.printing.amounts import counted, size

if TYPE_CHECKING:
    from noderag_local.domain.library import LibraryFolder
    from noderag_local.domain.progress import OtherLanguages
    from noderag_local.interfaces.tui.shell.application import NoderagApp

MEANING = (
    "Everything that was made of it goes; on disk nothing changes. From now on indexing leaves it out, until you add it "
    "by its own path. Conversations that quote it are deleted."
)
IN_BACKUPS = "Older backups still hold it, until noderag backup --only puts a new one in place of all."


class FolderDialog(Dialog[str | None]):
    """Asks for one of the indexed folders and returns its path; None if the person cancels."""

    DEFAULT_CSS = """
    FolderDialog {
        #question { margin-bottom: 1; }
        OptionList, OptionList:focus { height: auto; max-height: 12; border: none; padding: 0; background: $surface; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close")]

    def __init__(self, folders: Sequence[LibraryFolder]) -> None:
        super().__init__()
        self._folders = folders

    def compose(self) -> ComposeResult:
        """Lays out the question and the folders."""
        with DialogBox():
            yield Label("Which folder is to be forgotten?", id="question")
            yield OptionList(*(Option(_line(folder)) for folder in self._folders), markup=False)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._folders[event.option_index].path)


def _line(folder: LibraryFolder) -> Content:
    figure = Content.styled(f"  {counted(folder.documents, 'documents')}", "$text-muted")
    return on_one_line(from_home(folder.path)) + figure


def forgetting_question(path: str, documents: int, *, is_file: bool, in_backups: bool) -> ConfirmDialog:
    """Returns the dialog that asks whether to forget a file or folder.

    Args:
        path: file or folder to forget.
        documents: number of its documents.
        is_file: whether it is a single file.
        in_backups: whether there are backups, which still hold it.
    """
    name = PurePath(path).name if is_file else from_home(path)
    of = "" if is_file and documents == 1 else f" with {'all ' * (documents > 1)}its {counted(documents, 'documents')}"
    meaning = f"{MEANING} {IN_BACKUPS}" if in_backups else MEANING
    return ConfirmDialog(on_one_line(f"Forget {name}{of}?"), "Forget", meaning, "Keep")


def read_again_question(files: int) -> ConfirmDialog:
    """Returns the dialog that asks whether to read files again that an older version of noderag has read."""
    are, them = ("was", "it") if files == 1 else ("were", "them")
    return ConfirmDialog(
        f"{counted(files, 'files')} {are} read by an older version of noderag. Read {them} again?",
        "Read again",
        f"This version reads {them} in another way. If you keep {them}, only new and changed files are read now, and you are "
        "asked again next time.",
        "Keep",
    )


def start_indexing(
    app: NoderagApp, paths: Sequence[Path], by_lines: Sequence[Path] = (), *, keep_old: bool = False
) -> bool:
    """Starts the job that indexes files and folders.

    If the notes are in languages that the embedding model does not know, it asks at the end whether to get a model for them.

    Args:
        app: runs the job.
        paths: files and folders to index.
        by_lines: as for `indexing`.
        keep_old: as for `Vault.index`.

    Returns:
        False if another job is running.
    """
    from noderag_local.interfaces.tui.jobs.model_jobs import fetching
    from noderag_local.models.llm.gguf_files.catalog import find_entry

    def ask(found: OtherLanguages) -> None:
        def answered(is_wanted: bool | None) -> None:
            if is_wanted:
                start_job(app, JobKind.FETCH, fetching(app.session, find_entry(found.model)))

        app.push_screen(embedding_model_question(found), answered)

    work = indexing(app.session, paths, by_lines, keep_old=keep_old, needs_model=ask)
    return start_job(app, JobKind.INDEX, work)


def embedding_model_question(found: OtherLanguages) -> ConfirmDialog:
    """Returns the dialog that asks whether to fetch an embedding model for notes that are not English."""
    from noderag_local.models.llm.gguf_files.catalog import find_entry

    entry = find_entry(found.model)
    return ConfirmDialog(
        f"{found.foreign} of {found.looked_at} notes looked at are not English. Get a model for them?",
        "Get it",
        f"The embedding model compares meanings in English only. {entry.name} ({size(entry.size_bytes)}, {entry.licence}) knows "
        "about a hundred languages. The next indexing makes all vectors again with it; until then the present ones are used.",
        "Not now",
    )
