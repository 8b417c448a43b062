"""The base class of dialogs, and the box in which each stands in the middle of the screen."""

from __future__ import annotations

from textual.containers import VerticalGroup
from textual.screen import ModalScreen, ScreenResultType


class Dialog(ModalScreen[ScreenResultType]):
    """A dialog over the screen that opened it; its content stands in a `DialogBox`."""

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        KeyLine { background: $surface; }
    }
    """


class DialogBox(VerticalGroup):
    """The box of a dialog, as high as its content. The labels `title` and `question` in it are bold, and `hint` is dimmed."""

    DEFAULT_CSS = """
    DialogBox {
        width: 72;
        max-width: 95%;
        padding: 1 2;
        border: round $primary;
        border-title-color: $text-primary;
        background: $surface;
        & > Label { width: 1fr; }
        & > #title { text-style: bold; }
        & > #question { text-style: bold; }
        & > #hint { color: $text-muted; }
    }
    """
