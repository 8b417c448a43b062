"""Where a question is written: the box, what it may become above it, and how it will be asked below it."""

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
    """Stands over the question box while there is something to complete."""

    DEFAULT_CSS = """
    CommandHints { height: auto; max-height: 10; padding: 0 2; color: $text-muted; background: $boost; display: none; }
    CommandHints.-open { display: block; }
    """

    def offer(self, hints: Sequence[Hint]) -> None:
        """Shows the ways to go on, the one that tab takes first."""
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
