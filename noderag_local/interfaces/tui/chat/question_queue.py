"""Answers the questions of the open conversation one at a time; those that are asked meanwhile wait below the answer."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from noderag_local.domain.errors import NoderagError, StoreError, VaultMissing
from noderag_local.interfaces.tui.shared.no_notes import NO_NOTES
from noderag_local.interfaces.tui.shared.workers import start_worker
from noderag_local.interfaces.tui.shell.owner import noderag_of

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.chat.answers.answer_block import AnswerBlock, AnsweredTurn
    from noderag_local.interfaces.tui.chat.ask_line import AskChoices
    from noderag_local.interfaces.tui.chat.asking import Asking
    from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen
    from noderag_local.storage.conversations.conversations import Turn

WAITING = "Waits for the answer above …"
EARLIER_STAYS = "The earlier answer stays."


class QuestionQueue:
    """The questions of a chat that have no answer yet, in the order in which they were asked."""

    def __init__(self, chat: ChatScreen) -> None:
        """Begins without questions; the answers appear in the chat."""
        self._chat = chat
        self._unanswered: list[str] = []
        self._asking: Asking | None = None
        self._told_unstored = False
        self._placing = asyncio.Lock()
        """Held by the question that is being put below the others, so that no later one gets above it."""
        self._answering = asyncio.Lock()
        """Held by the question that is being answered."""

    @property
    def is_empty(self) -> bool:
        """Whether every question has its answer."""
        return not self._unanswered

    @property
    def unanswered(self) -> str:
        """The questions without an answer, one below the other."""
        return "\n".join(self._unanswered)

    def add(self, question: str, choices: AskChoices, *, replaces_last: bool) -> None:
        """Asks a question as soon as those before it are answered.

        Args:
            question: what the user asks.
            choices: how it is asked.
            replaces_last: whether it takes the place of the last question.
        """
        self._unanswered.append(question)
        noderag_of(self._chat).answer_changes.publish(None)
        start_worker(self._chat, partial(self._ask, question, choices, replaces_last), "ask")

    def stop(self) -> None:
        """Stops the answer that is being written; text that was already written stays, and the next question is asked."""
        if self._asking is not None:
            self._asking.stop()

    async def _ask(self, question: str, choices: AskChoices, replaces_last: bool) -> None:
        try:
            async with self._placing:
                block, replaced = await self._place(question, replaces_last)
            if self._answering.locked():
                block.wait_for(WAITING)
            async with self._answering:
                await self._answer(block, choices, replaced)
        except asyncio.CancelledError:
            # The program ends: the question has no answer and is kept as a draft.
            raise
        except BaseException:
            self._has_ended(question)
            raise
        self._has_ended(question)

    def _has_ended(self, question: str) -> None:
        self._unanswered.remove(question)
        noderag_of(self._chat).answer_changes.publish(None)
        self._chat.refresh_bindings()
        self._chat.draft_changed()

    async def _place(self, question: str, replaces_last: bool) -> tuple[AnswerBlock, AnswerBlock | None]:
        """Puts a question below the others; returns its block and the block of the answer that it is to replace, if any.

        The old answer is hidden, and comes back unless the new one is complete.
        """
        conversation = self._chat.conversation
        before = conversation.blocks[-1] if replaces_last and conversation.blocks else None
        block = await conversation.begin(question)
        if before is None:
            return block, None
        if before.answered is None:
            await before.remove()
            return block, None
        before.display = False
        return block, before

    async def _answer(self, block: AnswerBlock, choices: AskChoices, replaced: AnswerBlock | None) -> None:
        """Answers the question of a block, in place of the last one that is stored if a block is to be replaced."""
        from noderag_local.generation.answering import stop_note
        from noderag_local.interfaces.tui.chat.asking import STOPPED, Asking

        chat = self._chat
        self._asking = Asking(chat.session, block, choices, chat.conversation.turns)
        chat.refresh_bindings()
        try:
            answered = await self._asking.run()
            if answered is None:
                await self._fail(block, replaced, STOPPED)
            elif replaced is not None and answered.turn.stopped:
                await self._fail(block, replaced, stop_note(answered.answer.finish))
            else:
                await self._show_and_keep(block, answered, replaced)
        except VaultMissing:
            await self._fail(block, replaced, NO_NOTES)
        except NoderagError as error:
            await self._fail(block, replaced, str(error))
        finally:
            self._asking = None

    async def _show_and_keep(self, block: AnswerBlock, answered: AnsweredTurn, replaced: AnswerBlock | None) -> None:
        """Stores an answer and shows it; the block that it replaces goes.

        One that quotes what was forgotten meanwhile counts as failed, so that later questions do not refer to it.
        """
        chat = self._chat
        try:
            await self._keep(block, answered.turn, replaced)
        except StoreError:
            if replaced is None:
                await block.finish(answered)
            raise
        await block.finish(answered)
        if replaced is not None:
            await replaced.remove()
        chat.show_answered(block, answered.turn)
        chat.conversation.name_it(chat.conversation_state.name)

    async def _keep(self, block: AnswerBlock, turn: Turn, replaced: AnswerBlock | None) -> None:
        """Stores a turn, in place of the last stored one only if that is the turn of the replaced block."""
        chat = self._chat
        block.is_kept = await chat.conversation_state.keep(turn, replaces=replaced is not None and replaced.is_kept)
        if not block.is_kept and not self._told_unstored:
            self._told_unstored = True
            chat.warn("The vault's folder is read-only, so conversations are not stored.")

    async def _fail(self, block: AnswerBlock, replaced: AnswerBlock | None, message: str) -> None:
        """Says in a block why it has no answer, or shows in its place the answer that it was to replace."""
        if replaced is None or block.answered is not None:
            await block.fail(message)
            return
        await block.remove()
        replaced.display = True
        self._chat.warn(f"{message} {EARLIER_STAYS}")
