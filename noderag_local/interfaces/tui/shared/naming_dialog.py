"""The dialog that asks for a name."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from noderag_local.interfaces.tui.shared.terminal_text import foreign


class NamingDialog(ModalScreen[str | None]):
    """Asks for one line of text, which is never empty; None if the person cancels."""

    DEFAULT_CSS = """
    NamingDialog {
        align: center middle;
        VerticalGroup {
            width: 64;
            max-width: 95%;
            padding: 1 2;
            border: round $primary;
            background: $surface;
        }
        Label { width: 1fr; }
        #question { text-style: bold; }
        #hint { color: $text-muted; margin-top: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Leave as it is")]

    def __init__(self, question: str, value: str = "", hint: str = "") -> None:
        """Creates the dialog.

        Args:
            question: over the field; shown as it is, as are the others.
            value: in the field, selected, so that typing takes its place.
            hint: under the field; "" says which keys there are.
        """
        super().__init__()
        self._question, self._value = question, value
        self._hint = hint or "enter: take it · escape: leave it as it is"

    def compose(self) -> ComposeResult:
        """Question, field, hint."""
        with VerticalGroup():
            yield Label(foreign(self._question), id="question")
            yield Input(foreign(" ".join(self._value.split())).plain, select_on_focus=True)
            yield Label(foreign(self._hint), id="hint")

    def on_mount(self) -> None:
        """Focuses the field, so that a person can type at once."""
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        name = " ".join(event.value.split())
        if name:
            self.dismiss(name)
