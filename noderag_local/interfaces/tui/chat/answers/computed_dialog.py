"""The dialog that shows what an answer was computed from; nothing was searched for it, so that there is no path to draw."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.chat.answers.open_in_explore import open_in_explore
from noderag_local.interfaces.tui.chat.answers.source_lines import place
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.storage.conversations.conversations import Turn
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.excerpt import excerpt


class ComputedDialog(Dialog[None]):
    """Says what was computed and lists the sentences with their places; enter opens one in Explore, escape closes."""

    DEFAULT_CSS = """
    ComputedDialog {
        DialogBox { width: 100%; max-width: 120; height: auto; max-height: 96%; padding: 0 1; }
        #computed-from { color: $text-muted; margin-top: 1; }
        OptionList {
            height: auto;
            max-height: 30;
            border: none;
            border-top: solid $border-blurred;
            padding: 0;
            background: $surface;
            scrollbar-size-vertical: 1;
            &:focus { border: none; border-top: solid $primary; background-tint: transparent; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,w", "dismiss", "Close")]

    def __init__(self, turn: Turn) -> None:
        """Creates the dialog.

        Args:
            turn: a turn whose answer was computed; its note tells how, and its sources are the sentences.
        """
        super().__init__()
        self._turn = turn

    def compose(self) -> ComposeResult:
        """Lays out the question, what was computed and the sentences."""
        sources = self._turn.found.sources
        with DialogBox() as frame:
            frame.border_title = "Why this answer"
            yield Label(on_one_line(self._turn.found.question), id="question")
            yield Label(safe_text(self._turn.note), id="computed-note")
            yield Label(_told(len(sources)), id="computed-from")
            yield OptionList(*(Option(_line(source)) for source in sources), markup=False)
            yield KeyLine()

    def on_mount(self) -> None:
        """Focuses the list."""
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        app, source = noderag_of(self), self._turn.found.sources[event.option_index]
        self.dismiss()
        open_in_explore(app, source)


def _told(sentences: int) -> str:
    if not sentences:
        return "It was computed from your notes, and no sentence of them counts for it."
    return f"It was computed from your notes and not searched for. It rests on {counted(sentences, 'sentences')}:"


def _line(source: Source) -> Content:
    return place(source) + Content("\n    ") + on_one_line(excerpt(source.text), "$text-muted")
