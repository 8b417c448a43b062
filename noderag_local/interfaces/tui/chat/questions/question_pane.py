"""The area for a question: the box, hints of commands above it, and how it will be asked below it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from noderag_local.interfaces.tui.chat.questions.ask_line import AskLine
from noderag_local.interfaces.tui.chat.questions.question_box import QuestionBox
from noderag_local.interfaces.tui.chat.questions.slash_commands import Hint, hints, is_command


class CommandHints(Static):
    """Shows above the question box how a command can be completed."""

    DEFAULT_CSS = """
    CommandHints { height: auto; max-height: 10; padding: 0 2; color: $text-muted; background: $boost; display: none; }
    CommandHints.-open { display: block; }
    """

    def offer(self, hints: Sequence[Hint]) -> None:
        """Shows the hints; the first is the one that tab takes."""
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
    """Holds the question box and shows hints of commands as a person types."""

    class Begun(Message):
        """Posted when a person begins to type the first question, so that everything a search needs can be loaded meanwhile."""

        def __init__(self, beginning: str) -> None:
            self.beginning = beginning
            super().__init__()

    def __init__(self) -> None:
        super().__init__()
        self._has_begun = False

    def compose(self) -> ComposeResult:
        """Lays out hints, box and the line about how the question is asked."""
        yield CommandHints()
        yield QuestionBox()
        yield AskLine()

    @property
    def box(self) -> QuestionBox:
        """The question box."""
        return self.query_one(QuestionBox)

    @property
    def line(self) -> AskLine:
        """The line that tells how the next question will be asked."""
        return self.query_one(AskLine)

    @on(TextArea.Changed)
    def _written(self) -> None:
        from noderag_local.retrieval.retriever import method_names

        text = self.box.text
        self.box.hints = hints(text, method_names())
        self.query_one(CommandHints).offer(self.box.hints)
        if text and not is_command(text) and not self._has_begun:
            self._has_begun = True
            self.post_message(self.Begun(text))
