"""The chat: questions, streamed answers, and the sources that they cite."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import TextArea

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.passages import EVERYTHING
from noderag_local.interfaces.tui.chat.answers.answer_block import AnswerBlock, copied
from noderag_local.interfaces.tui.chat.answers.passage_lines import PassageLine
from noderag_local.interfaces.tui.chat.answers.source_lines import LinkLine, SourceLine
from noderag_local.interfaces.tui.chat.ask_line import AskChoices
from noderag_local.interfaces.tui.chat.chat_body import ChatBody
from noderag_local.interfaces.tui.chat.chat_commands import ChatCommands
from noderag_local.interfaces.tui.chat.conversation import ConversationState
from noderag_local.interfaces.tui.chat.conversation_view import ConversationView, Suggestion
from noderag_local.interfaces.tui.chat.draft_keeper import DraftKeeper
from noderag_local.interfaces.tui.chat.question_box import QuestionBox, QuestionPane
from noderag_local.interfaces.tui.chat.question_queue import QuestionQueue
from noderag_local.interfaces.tui.chat.slash_commands import is_command
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.interfaces.tui.shell.status_line import StatusLine
from noderag_local.storage.conversations.conversations import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noderag_local.interfaces.tui.shell.palette import Command
    from noderag_local.interfaces.tui.shell.session import Session

BEGIN = "Ask your notes anything; the answer names its sources."
WHY_LATER = "Why this answer: that can be shown when it is complete."
BEING_OPENED = "The conversation is still being opened. Press enter again in a moment."


class ChatScreen(Screen[None]):
    """The screen for asking questions and reading answers."""

    CSS_PATH = "chat.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", tooltip="Stop the answer", priority=True),
        Binding("escape", "back", "Back", show=False),
        Binding("ctrl+g", "why", "Why", tooltip="Why this answer", priority=True),
        Binding("w", "why", "Why", tooltip="Why this answer", show=False),
        Binding("ctrl+n", "new", "New", tooltip="New conversation", priority=True),
        Binding("ctrl+t", "talks", "Talks", tooltip="Earlier conversations", priority=True),
        Binding("ctrl+r", "retry", "Retry", tooltip="Ask the last question again", priority=True),
        Binding("ctrl+e", "edit", "Edit", tooltip="Edit the last question", priority=True),
        Binding("ctrl+o", "toggle_source", "Source", tooltip="Show or hide the source", priority=True),
        Binding("ctrl+y", "copy", "Copy", tooltip="Copy the answer", priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._openings = 0
        """Number of workers that open a stored conversation: for a moment two, if a second cancels the first."""
        self._questions = QuestionQueue(self)

    @property
    def is_busy(self) -> bool:
        """Whether a question is being answered."""
        return not self._questions.is_empty

    @property
    def _is_opening(self) -> bool:
        """Whether a stored conversation is being opened; an answer would now be added to the wrong one."""
        return self._openings > 0

    @property
    def session(self) -> Session:
        """The session with the vault and the model."""
        return noderag_of(self).session

    def compose(self) -> ComposeResult:
        """Lays out the conversation, the open source and the question box."""
        yield ChatBody()
        yield QuestionPane()
        yield StatusLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Focuses the question box and opens a new conversation."""
        self._conversation_state = ConversationState(self.session)
        self._commands = ChatCommands(self)
        noderag_of(self).note_changes.subscribe(self, lambda _: self._suggest_anew())
        self._drafts = DraftKeeper(self, self.session, self._draft)
        noderag_of(self).keep_draft = self._keep_draft
        noderag_of(self).has_draft = lambda: not self._drafts.is_kept
        noderag_of(self).has_unanswered = lambda: self.is_busy
        self._pane.box.focus()
        self._begin_conversation()
        self._recall_questions()
        self._recall_draft()

    @work(group="recall")
    async def _recall_draft(self) -> None:
        if draft := await self._drafts.recall():
            # In front of what was typed before it could be read.
            self._pane.box.give_back(draft)

    async def _keep_draft(self) -> None:
        """Waits for the notes that were sent, one of which may come back into the box, and keeps the draft."""
        await self._commands.notes.all_added()
        await self._drafts.keep()

    def _draft(self) -> str:
        """Returns the questions without an answer and the text in the box."""
        return "\n".join(filter(None, (self._questions.unanswered, self._pane.box.draft)))

    @on(TextArea.Changed)
    def draft_changed(self) -> None:
        """Keeps a moment later what is not sent or not answered."""
        self._drafts.written()

    @work(group="recall")
    async def _recall_questions(self) -> None:
        self._pane.box.recall_also(await self._conversation_state.earlier_questions())

    def on_screen_resume(self) -> None:
        """Applies settings that have changed meanwhile."""
        self._pane.line.look_again()

    @property
    def choices(self) -> AskChoices:
        """How the next question will be asked."""
        return self._pane.line.choices

    @property
    def conversation(self) -> ConversationView:
        """The view of the conversation."""
        return self._body.conversation

    @property
    def _body(self) -> ChatBody:
        return self.query_one(ChatBody)

    @property
    def _pane(self) -> QuestionPane:
        return self.query_one(QuestionPane)

    @property
    def conversation_state(self) -> ConversationState:
        """The open conversation as the vault stores it."""
        return self._conversation_state

    def choose(self, choices: AskChoices) -> None:
        """Sets how questions are asked from now on."""
        self._pane.line.choose(choices)

    def begin_question(self, text: str) -> None:
        """Focuses the question box for another screen, and puts a text into it if it is empty."""
        box = self._pane.box
        if text and not box.text.strip():
            box.put(text)
        box.focus()

    def give_back(self, text: str) -> None:
        """Puts a text that could not be used back into the question box."""
        self._pane.box.give_back(text)

    def warn(self, message: str) -> None:
        """Shows a warning."""
        self.notify(message, severity="warning", markup=False)

    @on(QuestionBox.Asked)
    def _asked(self, event: QuestionBox.Asked) -> None:
        if is_command(event.text):
            self.run_command(event.text)
        elif self._is_opening:
            self.warn(BEING_OPENED)
            self._pane.box.give_back(event.text)
        else:
            self._begin_asking(event.text)

    def _is_free(self) -> bool:
        """Returns whether no answer is being written and no conversation is being opened; shows a warning otherwise."""
        if self.is_busy:
            self.warn("The answer is still being written: escape stops it.")
        elif self._is_opening:
            self.warn(BEING_OPENED)
        return not (self.is_busy or self._is_opening)

    def _begin_asking(self, question: str, *, again: bool = False) -> None:
        box = self._pane.box
        replaces_last = again or box.is_editing
        # At once: a question that is sent right after this one replaces nothing.
        box.end_editing()
        self._body.uncover()
        self._questions.add(question, self.choices, replaces_last=replaces_last)

    def show_answered(self, block: AnswerBlock, turn: Turn) -> None:
        """Shows the cost of an answer, and its first source unless the user reads one of them."""
        self._pane.line.answered(turn)
        first = next(iter(block.query(SourceLine)), None)
        # A passage that was opened while the model was reading stays open.
        if first is not None and self._body.reader.passage not in turn.found.sources:
            self._body.offer_source(first.source)

    @work(exclusive=True, group="conversation")
    async def _begin_conversation(self) -> None:
        await self.conversation.clear()
        self.conversation.name_it(self._conversation_state.name)
        self.refresh_bindings()
        await self.conversation.suggest(BEGIN, await self._conversation_state.suggestions())

    @work(exclusive=True, group="conversation")
    async def open_conversation(self, number: int) -> None:
        """Opens a stored conversation."""
        if self.is_busy:
            self._is_free()
            return
        self._openings += 1
        try:
            turns = await self._conversation_state.open(number)
            self._show_other_conversation(turns)
            await self.conversation.show(turns)
        except NoderagError as error:
            self.warn(str(error))
            return
        finally:
            self._openings -= 1
        self.conversation.name_it(self._conversation_state.name)
        self.refresh_bindings()
        self._pane.box.remember([turn.question for turn in turns])
        self._pane.box.focus()

    def _show_other_conversation(self, turns: Sequence[Turn]) -> None:
        """Closes the source, shows the cost of the conversation's last answer, and asks the notes that it asked."""
        self._body.close_source()
        # Somebody who begins anew has often forgotten that only a part of the notes was asked.
        self.choose(replace(self.choices, scope=turns[-1].scope if turns else EVERYTHING))
        self._pane.line.answered(turns[-1] if turns else None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides the keys that have no effect now."""
        if action == "stop":
            return self.is_busy
        if action == "new":
            return bool(self.conversation.blocks)
        if action in ("retry", "edit"):
            return bool(self.conversation.blocks) and not self.is_busy
        if action in ("copy", "why"):
            current = self.conversation.current
            is_answered = current is not None and current.answered is not None
            return is_answered or (action == "why" and self.is_busy)
        if action == "toggle_source":
            return self._body.has_source
        return True

    def action_stop(self) -> None:
        """Stops the answer; text that was already written stays."""
        self._questions.stop()

    def action_back(self) -> None:
        """Closes a source that covers the conversation; else focuses the question box."""
        self._body.uncover()
        box = self._pane.box
        box.end_editing()
        box.focus()

    def action_toggle_source(self) -> None:
        """Shows or hides the source."""
        if self._body.toggle_source():
            self._body.reader.focus_shown()
        else:
            self._pane.box.focus()

    def action_retry(self) -> None:
        """Asks the last question again, with the current choices."""
        self._begin_asking(self.conversation.blocks[-1].question, again=True)

    def action_edit(self) -> None:
        """Puts the last question back into the box; sending it replaces the last turn."""
        box = self._pane.box
        box.begin_editing(self.conversation.blocks[-1].question)
        box.focus()

    def action_copy(self) -> None:
        """Copies the current answer with the sources that it cites."""
        block = self.conversation.current
        if block is not None and block.answered is not None:
            self.app.copy_to_clipboard(copied(block.answered))
            self.notify("Copied the answer.", markup=False)

    def action_why(self) -> None:
        """Shows how the current answer was found or computed."""
        from noderag_local.generation.computed_answers import COMPUTED
        from noderag_local.interfaces.tui.chat.answers.computed_dialog import ComputedDialog
        from noderag_local.interfaces.tui.chat.answers.why_dialog import WhyDialog

        block = self.conversation.current
        if block is None or block.answered is None:
            self.warn(WHY_LATER)
            return
        turn = block.answered.turn
        if turn.found.method == COMPUTED:
            self.app.push_screen(ComputedDialog(turn))
        else:
            self.app.push_screen(WhyDialog(turn.found, block.answered.answer))

    def action_new(self) -> None:
        """Begins a new conversation; the earlier one stays stored."""
        if self._is_free():
            self._conversation_state.begin()
            self._show_other_conversation(())
            self._begin_conversation()
            self._pane.box.end_editing()
            self._pane.box.focus()

    def action_talks(self) -> None:
        """Shows earlier conversations."""
        self.run_command("/talks")

    def run_command(self, text: str) -> None:
        """Runs a command as if it were typed in the question box."""
        self._commands.run(text)

    def palette_commands(self) -> Iterator[Command]:
        """Yields the commands of the question box for the command palette."""
        yield from self._commands.for_palette()

    @on(QuestionBox.Left)
    def _left_the_box(self) -> None:
        if lines := self._pane.ahead.lines:
            lines[0].focus()
        else:
            self.conversation.focus_sources()

    @on(LinkLine.Chosen)
    def _chosen(self, event: LinkLine.Chosen) -> None:
        if isinstance(event.line, Suggestion) and self._is_free():
            self._begin_asking(event.line.question)
            self._pane.box.focus()
        elif isinstance(event.line, PassageLine) and event.line in self._pane.ahead.lines:
            self._body.open_source(event.line.source)

    def _suggest_anew(self) -> None:
        # A conversation that is being opened has no blocks yet, and would be cancelled.
        if not self._is_opening and not self.conversation.blocks and not isinstance(self.focused, Suggestion):
            self._begin_conversation()
