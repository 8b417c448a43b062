"""The view of a conversation: its turns, oldest first, or suggested questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from noderag_local.interfaces.tui.chat.answers.answer_block import AnswerBlock, restored_turn
from noderag_local.interfaces.tui.chat.answers.source_lines import LinkLine, SourceLine
from noderag_local.interfaces.tui.shared.terminal_text import safe_text
from noderag_local.storage.conversations.conversations import Turn

SHOWN = 40
"""Maximum number of turns that are shown of a stored conversation, since each one takes time to lay out."""


class Suggestion(LinkLine):
    """A suggested question; choosing it starts the conversation."""

    def __init__(self, question: str) -> None:
        super().__init__(Content("› ") + safe_text(question), classes="suggestion")
        self.question = question


class ConversationView(VerticalScroll):
    """Shows the turns, and scrolls with an answer that is being written, until the user scrolls up."""

    DEFAULT_CSS = """
    ConversationView {
        width: 1fr;
        height: 1fr;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        border-top: solid $border-blurred;
        border-title-color: $text-muted;
        &:focus { border-top: solid $primary; }
        /* An anchored container of textual 8.2 moves what is less than a screen down to its end. */
        .turns { min-height: 100%; }
        .hint { padding: 1 1; color: $text-muted; }
        .suggestion { margin: 0 0 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "End", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._turns = VerticalGroup(classes="turns")

    def compose(self) -> ComposeResult:
        """Lays out the container of the turns."""
        yield self._turns

    @property
    def blocks(self) -> list[AnswerBlock]:
        """Blocks of all shown turns; one is hidden while it is asked again."""
        return [block for block in self.query(AnswerBlock) if block.display]

    @property
    def current(self) -> AnswerBlock | None:
        """The block that has the focus, else the last one."""
        focused = self.screen.focused
        around = [] if focused is None else [one for one in focused.ancestors_with_self if isinstance(one, AnswerBlock)]
        return around[0] if around else next(reversed(self.blocks), None)

    @property
    def turns(self) -> list[Turn]:
        """Answered turns, oldest first."""
        return [block.answered.turn for block in self.blocks if block.answered is not None]

    def name_it(self, name: str) -> None:
        """Shows a conversation's name above it."""
        self.border_title = safe_text(" ".join(name.split()))

    async def clear(self) -> None:
        """Removes everything."""
        await self._turns.remove_children()

    async def begin(self, question: str) -> AnswerBlock:
        """Adds a turn at the end and returns its block."""
        await self.query(".hint, .suggestion").remove()
        block = AnswerBlock(question)
        await self._turns.mount(block)
        self.anchor()
        return block

    async def show(self, turns: Sequence[Turn]) -> None:
        """Shows the latest turns of a stored conversation."""
        answered = await asyncio.to_thread(lambda: [restored_turn(turn) for turn in turns[-SHOWN:]])
        await self.clear()
        if left_out := len(turns) - len(answered):
            line = f"{left_out} earlier turns are kept and not shown here; /export writes all of them."
            await self._turns.mount(Static(line, classes="hint"))
        for one in answered:
            block = AnswerBlock(one.turn.question)
            await self._turns.mount(block)
            if one.turn.asked_as:
                block.show_asked_as(one.turn.asked_as)
            await block.finish(one)
            block.is_kept = True
        self.anchor()

    async def suggest(self, hint: str, questions: Sequence[str]) -> None:
        """Shows suggested questions if nothing has been asked yet."""
        if self.blocks:
            return
        await self.clear()
        await self._turns.mount_all([Static(Content(hint), classes="hint"), *map(Suggestion, questions)])

    def focus_sources(self) -> None:
        """Focuses the first source of the current turn, else the first suggestion, else the text."""
        block = self.current
        places: list[Widget] = [*(block.query(SourceLine) if block else ()), *self.query(Suggestion), self]
        places[0].focus()
