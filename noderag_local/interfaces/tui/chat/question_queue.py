"""Answers the questions of the open conversation one at a time; those that are asked meanwhile wait below the answer."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from noderag_local.domain.errors import NoderagError, VaultMissing
from noderag_local.interfaces.tui.shared.no_notes import NO_NOTES
from noderag_local.interfaces.tui.shared.workers import start_worker

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.chat.answers.answer_block import AnswerBlock
    from noderag_local.interfaces.tui.chat.ask_line import AskChoices
    from noderag_local.interfaces.tui.chat.asking import Asking
    from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen

WAITING = "Waits for the answer above …"


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
        start_worker(self._chat, partial(self._ask, question, choices, replaces_last), "ask")

    def stop(self) -> None:
        """Stops the answer that is being written; text that was already written stays, and the next question is asked."""
        if self._asking is not None:
            self._asking.stop()

    async def _ask(self, question: str, choices: AskChoices, replaces_last: bool) -> None:
        try:
            async with self._placing:
                replaces = replaces_last and await self._take_back()
                block = await self._chat.conversation.begin(question)
            if self._answering.locked():
                block.wait_for(WAITING)
            async with self._answering:
                await self._answer(block, choices, replaces)
        except asyncio.CancelledError:
            # The program ends: the question has no answer and is kept as a draft.
            raise
        except BaseException:
            self._has_ended(question)
            raise
        self._has_ended(question)

    def _has_ended(self, question: str) -> None:
        self._unanswered.remove(question)
        self._chat.refresh_bindings()
        self._chat.draft_changed()

    async def _take_back(self) -> bool:
        """Removes the last turn, so that it can be asked again; returns whether it was stored."""
        blocks = self._chat.conversation.blocks
        if not blocks:
            return False
        await blocks[-1].remove()
        return blocks[-1].answered is not None

    async def _answer(self, block: AnswerBlock, choices: AskChoices, replaces: bool) -> None:
        """Answers the question of a block; `replaces` tells whether the answer takes the place of the last one that is stored."""
        from noderag_local.interfaces.tui.chat.asking import STOPPED, Asking

        chat = self._chat
        self._asking = Asking(chat.session, block, choices, chat.conversation.turns)
        chat.refresh_bindings()
        try:
            answered = await self._asking.run()
            if answered is None:
                await block.fail(STOPPED)
                return
            await block.finish(answered)
            chat.show_answered(block, answered.turn)
            if not await chat.conversation_state.keep(answered.turn, replaces=replaces) and not self._told_unstored:
                self._told_unstored = True
                chat.warn("The vault's folder is read-only, so conversations are not stored.")
            chat.conversation.name_it(chat.conversation_state.name)
        except VaultMissing:
            await block.fail(NO_NOTES)
        except NoderagError as error:
            await block.fail(str(error))
        finally:
            self._asking = None
