"""The box for questions and commands, with completions of commands and the passages for a question above it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from noderag_local.interfaces.tui.chat.ask_line import AskLine
from noderag_local.interfaces.tui.chat.passages_ahead import PassagesAhead
from noderag_local.interfaces.tui.chat.slash_commands import Hint, hints, is_command, is_note

EDITING = "Editing the last question; escape: ask a new one"
_TAKEN = {"f6", "f7", "ctrl+e", "ctrl+y"}
"""Keys of textual's text area that have another meaning in the chat."""


def _without_taken(binding: BindingType) -> BindingType:
    assert isinstance(binding, Binding)
    kept = [key for key in binding.key.split(",") if key not in _TAKEN]
    return Binding(",".join(kept), binding.action, binding.description, show=False) if kept else ("", "", "")


class QuestionBox(TextArea, inherit_bindings=False):
    """Sends a question on enter; shift+enter or ctrl+j adds a line, up recalls questions, tab completes a command."""

    DEFAULT_CSS = """
    QuestionBox {
        height: auto;
        min-height: 3;
        max-height: 10;
        border: round $panel-lighten-2;
        padding: 0 1;
        background: $background;
        &:focus { border: round $primary; }
        & .text-area--cursor-line { background: $background; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(kept for kept in map(_without_taken, TextArea.BINDINGS) if isinstance(kept, Binding)),
        Binding("enter", "send", "Ask"),
        Binding("shift+enter,ctrl+j,alt+enter", "new_line", "New line", show=False),
        Binding("tab", "complete", "Complete", show=False),
    ]

    class Asked(Message):
        """Posted when the user sends the text of the box, which is then empty."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class Left(Message):
        """Posted when the user leaves the box for the answers."""

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, show_line_numbers=False, placeholder="Ask your notes. / shows commands.")
        self.hints: Sequence[Hint] = ()
        """Completions that tab accepts; set by the screen."""
        self._asked: list[str] = []
        self._recalled = 0
        """Number of questions back that the box shows; 0 for the text being written."""
        self._set_aside = ""
        """Text that was being written when editing of the last question began."""

    @property
    def is_editing(self) -> bool:
        """Whether sending replaces the last turn; the title of the box then says so."""
        return bool(self.border_title)

    @property
    def draft(self) -> str:
        """Text that was written here and not sent; "" if there is none."""
        written = (self._set_aside.strip(), self.text.strip())
        return "\n".join(text for text in written if text and not self._is_quick(text))

    def _is_quick(self, text: str) -> bool:
        """Returns whether a text is quickly there again: a short command, or a question that the up key recalls."""
        return text in self._asked or (is_command(text) and not is_note(text))

    def begin_editing(self, question: str) -> None:
        """Puts the last question into the box for editing; a text that was being written is kept until editing ends."""
        if self.is_editing and self.text.strip():
            return
        if not self.is_editing:
            self._set_aside = self.text
        self.border_title = EDITING
        self.put(question)

    def end_editing(self) -> None:
        """Ends editing, so that sending replaces nothing; puts back the text that was being written before, if any."""
        if not self.is_editing:
            return
        self.border_title = ""
        if self._set_aside.strip():
            if edited := self.text.strip():
                # The up key recalls it.
                self._asked.append(edited)
            self.put(self._set_aside)
        self._set_aside = ""

    def remember(self, questions: Sequence[str]) -> None:
        """Sets the earlier questions that the up key recalls, oldest first, when another conversation is opened."""
        self._asked, self._recalled = list(questions), 0
        self.end_editing()

    def recall_also(self, questions: Sequence[str]) -> None:
        """Adds still earlier questions, oldest first, that the up key recalls."""
        self._asked = [*questions, *self._asked]

    def put(self, text: str) -> None:
        """Puts a text into the box for editing."""
        self.text = text
        self.move_cursor(self.document.end)

    def give_back(self, text: str) -> None:
        """Puts back a text that could not be used, in front of anything that was typed meanwhile."""
        # It stands only in the box from now on, so it is a draft, and no text that the up key recalls.
        self._asked, self._recalled = [asked for asked in self._asked if asked != text], 0
        self.put("\n".join(filter(None, (text, self.text))))

    def action_send(self) -> None:
        """Sends the text."""
        text = self.text.strip()
        if not text:
            return
        self._asked.append(text)
        self._recalled = 0
        self.text = ""
        self.post_message(self.Asked(text))

    def action_new_line(self) -> None:
        """Adds a line."""
        self.insert("\n")

    def action_complete(self) -> None:
        """Completes the command with the first hint; without hints, leaves the box."""
        if self.hints:
            self.put(self.hints[0].text)
        else:
            self.post_message(self.Left())

    def action_cursor_up(self, select: bool = False) -> None:
        """Recalls the previous question, if the box is empty or shows a recalled question unchanged."""
        if select or not self._may_recall(-1):
            super().action_cursor_up(select)
        else:
            self._recall(self._recalled + 1)

    def action_cursor_down(self, select: bool = False) -> None:
        """Recalls the next question."""
        if select or not self._recalled or not self._may_recall(1):
            super().action_cursor_down(select)
        else:
            self._recall(self._recalled - 1)

    def _may_recall(self, step: int) -> bool:
        shown = self._asked[-self._recalled] if self._recalled else ""
        return self.text == shown and 0 <= self._recalled - step <= len(self._asked)

    def _recall(self, back: int) -> None:
        self._recalled = back
        self.put(self._asked[-back] if back else "")


class CommandHints(Static):
    """Shows the completions of a command above the question box."""

    DEFAULT_CSS = """
    CommandHints { height: auto; max-height: 12; padding: 0 2; color: $text-muted; background: $boost; display: none; }
    CommandHints.-open { display: block; }
    """

    def offer(self, hints: Sequence[Hint]) -> None:
        """Shows the completions; tab accepts the first one."""
        width = max((len(hint.text) for hint in hints), default=0)
        rows = [
            Content.styled(hint.text, "bold") + Content(" " * (width - len(hint.text) + 2)) + Content(hint.does)
            for hint in hints
        ]
        if rows:
            rows[0] += Content("  (tab)")
        self.update(Content("\n").join(rows))
        self.set_class(bool(rows), "-open")


class QuestionPane(VerticalGroup):
    """Holds the question box and shows, as a person types, hints of commands or the passages that a question finds."""

    def compose(self) -> ComposeResult:
        """Lays out hints, passages, box and the line about how the question is asked."""
        yield CommandHints()
        yield PassagesAhead()
        yield QuestionBox()
        yield AskLine()

    @property
    def box(self) -> QuestionBox:
        """The question box."""
        return self.query_one(QuestionBox)

    @property
    def ahead(self) -> PassagesAhead:
        """The passages for the question that is being typed."""
        return self.query_one(PassagesAhead)

    @property
    def line(self) -> AskLine:
        """The line that shows how the next question will be asked."""
        return self.query_one(AskLine)

    @on(TextArea.Changed)
    def _written(self) -> None:
        from noderag_local.retrieval.retriever import method_names

        text = self.box.text
        self.box.hints = hints(text, method_names())
        self.query_one(CommandHints).offer(self.box.hints)
        self.ahead.look_for(text, self.line.choices)
