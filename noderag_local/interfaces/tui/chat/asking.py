"""Asks one question and shows the answer in its block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from noderag_local.generation.citing.extractive import ADD_MODEL
from noderag_local.generation.follow_up import exchanges, turn_of
from noderag_local.interfaces.tui.chat.answers.answer_block import AnsweredTurn
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.models.llm.engine import Finish
from noderag_local.storage.conversations.conversations import Turn

if TYPE_CHECKING:
    from noderag_local.domain.stream import Stream
    from noderag_local.generation.answering import Answer
    from noderag_local.interfaces.tui.chat.answers.answer_block import AnswerBlock
    from noderag_local.interfaces.tui.chat.ask_line import AskChoices
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.vault.ask import AskProgress
    from noderag_local.vault.vault import Vault

STOPPED = "Stopped before the first word."
NO_MODEL = (
    "These are the passages themselves, since no language model is installed. F5 lists the models and installs one."
)

NO_MODEL_YET = (
    "These are the passages themselves. The language model is still being set up; the last line shows the progress."
)


class Asking:
    """Asks one question and shows every step in its block."""

    def __init__(self, session: Session, block: AnswerBlock, choices: AskChoices, before: Sequence[Turn]) -> None:
        """Keeps the arguments; nothing is asked yet.

        Args:
            session: asks the vault.
            block: shows the question and its answer.
            choices: how the question is asked.
            before: earlier turns that the question may refer to, oldest first.
        """
        self._session, self._block, self._choices = session, block, choices
        self._earlier = exchanges(before)
        self._question = block.question
        self._is_stopped = False
        self._is_writing = False

    def stop(self) -> None:
        """Stops the answer soon; text that was already written stays."""
        self._is_stopped = True

    async def run(self) -> AnsweredTurn | None:
        """Asks and returns the answered turn; None if it was stopped before the model started.

        Raises:
            NoderagError: the search or the model failed.
        """
        try:
            with self._session.asking():
                answer = await self._session.ask(self._begin, self._show)
        finally:
            # Also stops the model if the screen closes meanwhile.
            self.stop()
        if not answer.was_begun:
            return None
        turn = turn_of(self._question, answer, self._choices.scope)
        is_set_up = not noderag_of(self._block).set_up.is_at_work
        note = _note(answer, with_model=self._choices.with_model, is_set_up=is_set_up)
        return AnsweredTurn(replace(turn, note=note), answer)

    def _begin(self, vault: Vault, progress: Callable[[AskProgress], None]) -> Stream[Answer]:
        return vault.ask(
            self._question,
            earlier=self._earlier,
            method=self._choices.method,
            budget_tokens=self._choices.budget_tokens,
            scope=self._choices.scope,
            with_model=self._choices.with_model,
            progress=progress,
            cancelled=lambda: self._is_stopped,
        )

    async def _show(self, told: AskProgress | str) -> None:
        if isinstance(told, str):
            if not self._is_writing:
                self._is_writing = True
                self._block.wait_for("")
            await self._block.write(told)
            return
        self._block.wait_for(told.message)
        if told.asked_as:
            self._block.show_asked_as(told.asked_as)
        if told.retrieval is not None:
            await self._block.begin(told.retrieval, is_read=bool(told.reader))


def _note(answer: Answer, *, with_model: bool, is_set_up: bool) -> str:
    """Returns the answer's one-line note, worded for the interface."""
    if answer.finish is Finish.CANCELLED and not answer.text:
        return STOPPED
    if answer.note == ADD_MODEL:
        if not with_model:
            return ""
        return NO_MODEL if is_set_up else NO_MODEL_YET
    return answer.note
