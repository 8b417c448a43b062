"""The dialog that asks for the folder of a backup, and the words about the last one."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Label

from noderag_local.interfaces.tui.library.path_input import PathInput
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.terminal_text import from_home
from noderag_local.storage.backup.backups import Backup
from noderag_local.system.paths import absolute

MEANING = (
    "The vault and its conversations are copied there, and the copy is checked. Your notes themselves are not in it. "
    "A folder on another disk is safe if this one fails."
)


class BackupDialog(Dialog[Path | None]):
    """Asks for a folder for backups, which is made if it does not exist; None if the user cancels."""

    DEFAULT_CSS = """
    BackupDialog {
        DialogBox { width: 76; }
        #title { margin-bottom: 1; }
        #meaning { margin-top: 1; color: $text-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Not now")]

    def __init__(self, usual: Path) -> None:
        """Creates the dialog.

        Args:
            usual: folder that the field names at first.
        """
        super().__init__()
        self._usual = usual

    def compose(self) -> ComposeResult:
        """Lays out the question, the field and what a backup is."""
        with DialogBox():
            yield Label("In which folder is the backup to be made?", id="title")
            yield PathInput(from_home(self._usual), is_whole=True)
            yield Label(MEANING, id="meaning")
            yield Label("enter: back up · escape: not now", id="hint")

    def on_mount(self) -> None:
        """Focuses the field."""
        self.query_one(PathInput).take_focus()

    @on(PathInput.Submitted)
    def _submitted(self, event: PathInput.Submitted) -> None:
        self.dismiss(absolute(event.path))


def day_of_backup(backup: Backup | None) -> str:
    """Returns the day of a backup in local time, such as "2026-03-05"; "none" if there is none."""
    return f"{backup.made.astimezone():%Y-%m-%d}" if backup else "none"
