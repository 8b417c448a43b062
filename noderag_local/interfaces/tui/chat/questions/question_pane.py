"""Where a question is written: the box, what it may become above it, and how it will be asked below it."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.message import Message
from textual.widgets import TextArea

from noderag_local.interfaces.tui.chat.questions.ask_line import AskLine
from noderag_local.interfaces.tui.chat.questions.command_hints import CommandHints
from noderag_local.interfaces.tui.chat.questions.question_box import QuestionBox
from noderag_local.interfaces.tui.chat.questions.slash_commands import hints, is_command


class QuestionPane(VerticalGroup):
    """Offers commands as one writes."""

    class Begun(Message):
        """The first question of all is being written, so that what questions need can be opened meanwhile."""

        def __init__(self, beginning: str) -> None:
            self.beginning = beginning
            super().__init__()

    def __init__(self) -> None:
        super().__init__()
        self._has_begun = False

    def compose(self) -> ComposeResult:
        """Hints, box, and the line about how it is asked."""
        yield CommandHints()
        yield QuestionBox()
        yield AskLine()

    @property
    def box(self) -> QuestionBox:
        """What is written in."""
        return self.query_one(QuestionBox)

    @property
    def line(self) -> AskLine:
        """How the next question will be asked."""
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
