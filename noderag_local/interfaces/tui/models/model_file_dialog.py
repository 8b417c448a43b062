"""The dialog that asks for a GGUF file to copy into the models folder."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup
from textual.screen import ModalScreen
from textual.widgets import Label

from noderag_local.interfaces.tui.library.path_input import PathInput
from noderag_local.interfaces.tui.shared.terminal_text import foreign


class ModelFileDialog(ModalScreen[Path | None]):
    """Asks for a file and returns its path; None if the person cancels."""

    DEFAULT_CSS = """
    ModelFileDialog {
        align: center middle;
        VerticalGroup#box {
            width: 72;
            max-width: 90%;
            padding: 1 2;
            border: round $primary;
            background: $surface;
        }
        #question { text-style: bold; }
        .note { color: $text-muted; margin-bottom: 1; width: 1fr; }
        #problem { color: $text-error; width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close")]

    def compose(self) -> ComposeResult:
        """Lays out the question, its consequences and the field."""
        with VerticalGroup(id="box"):
            yield Label("Which GGUF file?", id="question")
            yield Label(
                "It is copied into the models folder and verified; nothing is fetched. Tab completes the path.",
                classes="note",
            )
            yield PathInput(folders_only=False, suffixes=(".gguf",), placeholder="A file: /media/stick/model.gguf")
            yield Label("", id="problem", markup=False)

    def on_mount(self) -> None:
        """Focuses the field, so that a person can type at once."""
        self.query_one(PathInput).take_focus()

    @on(PathInput.Changed)
    def _typed(self) -> None:
        self.query_one("#problem", Label).update("")

    @on(PathInput.Submitted)
    def _submitted(self, event: PathInput.Submitted) -> None:
        if event.path.is_file():
            self.dismiss(event.path)
        else:
            self.query_one("#problem", Label).update(foreign(f"{event.path} is no file."))
