"""Dialogs that ask for a yes or no, or for a name."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Input, Label

from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.terminal_text import safe_text


class ConfirmDialog(Dialog[bool]):
    """Asks a question; escape means no, and the button for no has the focus."""

    DEFAULT_CSS = """
    ConfirmDialog {
        DialogBox { width: 64; }
        #detail { color: $text-muted; margin-top: 1; }
        #detail.-empty { display: none; }
        Horizontal { height: auto; align-horizontal: right; margin-top: 1; }
        Button { margin-left: 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape", "answer(False)", "No"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, question: str | Content, yes: str = "Yes", detail: str | Content = "", no: str = "No") -> None:
        """Creates the dialog.

        Args:
            question: question, never read as markup.
            yes: label of the button for yes.
            detail: consequences of a yes, in a line or two.
            no: label of the button for no.
        """
        super().__init__()
        self._question = _content(question)
        self._detail = _content(detail)
        self._yes, self._no = yes, no

    def compose(self) -> ComposeResult:
        """Lays out the question, its consequences and the two answers."""
        with DialogBox():
            yield Label(self._question, id="question")
            yield Label(self._detail, id="detail", classes="" if self._detail else "-empty")
            with Horizontal():
                yield Button(safe_text(f"{self._no} (n)"), id="no")
                yield Button(safe_text(f"{self._yes} (y)"), id="yes", variant="warning")

    def on_mount(self) -> None:
        """Focuses the button that changes nothing."""
        self.query_one("#no").focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.action_answer(event.button.id == "yes")

    def action_answer(self, is_yes: bool) -> None:
        """Returns the answer and closes."""
        self.dismiss(is_yes)


def _content(text: str | Content) -> Content:
    return text if isinstance(text, Content) else safe_text(text)


class NamingDialog(Dialog[str | None]):
    """Asks for one line of text, which is never empty; None if the user cancels."""

    DEFAULT_CSS = """
    NamingDialog {
        DialogBox { width: 64; }
        #hint { margin-top: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Leave as it is")]

    def __init__(self, question: str, value: str = "", hint: str = "") -> None:
        """Creates the dialog.

        Args:
            question: text above the field; like the others, never read as markup.
            value: initial text, selected so that typing replaces it.
            hint: text below the field; "" shows the keys.
        """
        super().__init__()
        self._question, self._value = question, value
        self._hint = hint or "enter: take it · escape: leave it as it is"

    def compose(self) -> ComposeResult:
        """Lays out the question, the field and the hint."""
        with DialogBox():
            yield Label(safe_text(self._question), id="question")
            yield Input(safe_text(" ".join(self._value.split())).plain, select_on_focus=True)
            yield Label(safe_text(self._hint), id="hint")

    def on_mount(self) -> None:
        """Focuses the field, so that the user can type at once."""
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        name = " ".join(event.value.split())
        if name:
            self.take(name)

    def take(self, name: str) -> None:
        """Closes the dialog with a name that was entered; a dialog that checks names first overrides this."""
        self.dismiss(name)
