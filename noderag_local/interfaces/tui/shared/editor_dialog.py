"""Asks once which of the installed editors opens notes, if neither a variable nor the settings name one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Label, OptionList

from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox

HINT = "You are asked only once. The settings (f6) change it; VISUAL and EDITOR override them."


class EditorDialog(Dialog[str | None]):
    """Lists the editors, the easiest to use first; returns None if the user chooses none."""

    DEFAULT_CSS = """
    EditorDialog {
        DialogBox { width: 64; }
        OptionList, OptionList:focus { height: auto; margin: 1 0; border: none; background: $surface; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Not now")]

    def __init__(self, editors: Sequence[str]) -> None:
        """Stores the names of the installed editors."""
        super().__init__()
        self._editors = editors

    def compose(self) -> ComposeResult:
        """Lays out the question and the editors."""
        with DialogBox():
            yield Label("Which editor opens your notes?", id="question")
            yield OptionList(*self._editors, markup=False)
            yield Label(HINT, id="hint")

    def on_mount(self) -> None:
        """Focuses the list."""
        options = self.query_one(OptionList)
        options.highlighted = 0
        options.focus()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._editors[event.option_index])
