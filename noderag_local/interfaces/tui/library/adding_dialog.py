"""Adding a folder to the vault."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup
from textual.screen import ModalScreen
from textual.widgets import Label

from noderag_local.interfaces.tui.library.folder_chooser import FolderChooser


class AddingDialog(ModalScreen[Path | None]):
    """Asks for a folder or a file; None if the person cancels."""

    DEFAULT_CSS = """
    AddingDialog {
        align: center middle;
        VerticalGroup.dialog {
            width: 76;
            max-width: 95%;
            padding: 1 2;
            border: round $primary;
            background: $surface;
        }
        #title { text-style: bold; margin-bottom: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Not now")]

    def compose(self) -> ComposeResult:
        """The question and the field."""
        with VerticalGroup(classes="dialog"):
            yield Label("Which folder or file is to be read?", id="title")
            yield FolderChooser()

    def on_mount(self) -> None:
        """Focuses the field."""
        self.query_one(FolderChooser).take_focus()

    @on(FolderChooser.Chosen)
    def _chosen(self, event: FolderChooser.Chosen) -> None:
        self.dismiss(event.path)
