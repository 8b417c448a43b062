"""One question on its way: made to stand alone, searched for, answered piece by piece."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from noderag_local.amounts import counted
from noderag_local.answer.extractive import ADD_MODEL
from noderag_local.answer.follow_up import Exchange, leans, stand_alone
from noderag_local.llm.engine import Finish
from noderag_local.records import Retrieval
from noderag_local.store.conversations import Cost, Turn
from noderag_local.tui.answered import Answered

if TYPE_CHECKING:
    from noderag_local.answer.answer import Answer
    from noderag_local.tui.choices import Choices
    from noderag_local.tui.desk import Answering, Desk
    from noderag_local.tui.widgets.answer_block import AnswerBlock

STOPPED = "Stopped before the first word."
NO_MODEL = (
    "These are the passages themselves, as no language model is installed. F5 shows which there are and gets one."
)


class Asking:
    """Asks once. The block is told of every step."""

    def __init__(self, desk: Desk, block: AnswerBlock, choices: Choices, before: Sequence[Turn]) -> None:
        """
        Args:
            before: what the question may lean on, oldest first.
        """
        self._desk, self._block, self._choices = desk, block, choices
        self._said = [Exchange(turn.asked_as or turn.question, turn.answer) for turn in before]
        self._question = block.question
        self._started = time.perf_counter()
        self._first_word_at = 0.0
        self._is_stopped = False
        self._answering: Answering | None = None

    def stop(self) -> None:
        """Ends it soon; what was written is kept."""
        self._is_stopped = True
        if self._answering is not None:
            self._answering.stop()

    async def run(self) -> Answered | None:
        """Asks, to the end; None where it was stopped before there was anything to answer from.

        Raises:
            NoderagError: the search or the model failed.
        """
        try:
            with self._desk.asking():
                return await self._run()
        finally:
            # Also when the screen goes away meanwhile: the model would write on for nobody.
            self.stop()

    async def _run(self) -> Answered | None:
        asked_as = await self._stand_alone()
        question = asked_as or self._question
        found = await self._search(question)
        if self._is_stopped:
            return None
        self._block.wait_for(f"Reading {counted(len(found.sources), 'passages')} …")
        self._block.begin({source.number for source in found.sources})
        self._answering = self._desk.answer(found, question)
        await self._show(self._answering)
        answer = self._answering.answer
        return Answered(self._turn(asked_as, found, answer), answer)

    async def _stand_alone(self) -> str:
        """The question made to stand alone; "" where it does already, or nothing can make it."""
        if not self._said or not leans(self._question):
            return ""
        engine = await asyncio.to_thread(self._desk.model.engine)
        if engine is None or self._is_stopped:
            return ""
        self._block.wait_for("Reading the question with what was said before …")
        written = await asyncio.to_thread(stand_alone, engine, self._question, self._said, lambda: self._is_stopped)
        if written == self._question:
            return ""
        self._block.show_asked_as(written)
        return written

    async def _search(self, question: str) -> Retrieval:
        self._block.wait_for("Searching …")
        choices = self._choices
        return await self._desk.read(
            lambda vault: vault.search(
                question, method=choices.method, budget_tokens=choices.budget_tokens, scope=choices.scope
            )
        )

    async def _show(self, answering: Answering) -> None:
        async for piece in answering:
            if not self._first_word_at:
                self._first_word_at = time.perf_counter()
                self._block.wait_for("")
            await self._block.write(piece)

    def _turn(self, asked_as: str, found: Retrieval, answer: Answer) -> Turn:
        is_stopped = answer.finish is Finish.CANCELLED
        return Turn(
            question=self._question,
            asked_as=asked_as,
            answer=answer.text,
            found=found,
            scope=self._choices.scope,
            model=answer.model,
            cost=self._cost(answer),
            abstained=answer.abstained,
            stopped=is_stopped,
            note=_note(answer),
        )

    def _cost(self, answer: Answer) -> Cost | None:
        completion = answer.completion
        if completion is None:
            return None
        now = time.perf_counter()
        return Cost(
            first_word_seconds=(self._first_word_at or now) - self._started,
            seconds=now - self._started,
            read_tokens=completion.prompt_tokens - completion.reused_tokens,
            written_tokens=completion.generated_tokens,
        )


def _note(answer: Answer) -> str:
    """One line about an answer, for someone who sits before the interface."""
    if answer.finish is Finish.CANCELLED and not answer.text:
        return STOPPED
    return NO_MODEL if answer.note == ADD_MODEL else answer.note
