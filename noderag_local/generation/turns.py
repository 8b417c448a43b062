"""Converts an answer into the turn of a conversation that stores it, and turns into context for a question."""

from __future__ import annotations

from collections.abc import Sequence

from noderag_local.domain.passages import Scope
from noderag_local.generation.answering import Answer
from noderag_local.generation.follow_up import Exchange
from noderag_local.models.llm.engine import Finish
from noderag_local.storage.conversations.conversations import Cost, Turn


def turn_of(question: str, answer: Answer, scope: Scope) -> Turn:
    """Returns the turn that stores an answer.

    Args:
        question: as the person wrote it.
        scope: limits of the search.
    """
    return Turn(
        question=question,
        asked_as=answer.asked_as,
        answer=answer.text,
        found=answer.retrieval,
        scope=scope,
        model=answer.model,
        cost=_cost(answer),
        abstained=answer.abstained,
        stopped=answer.finish is Finish.CANCELLED,
        note=answer.note,
    )


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """Returns the questions and answers that the next question may refer to, oldest first."""
    return [Exchange(turn.asked_as or turn.question, turn.answer) for turn in turns]


def _cost(answer: Answer) -> Cost | None:
    completion = answer.completion
    if completion is None:
        return None
    return Cost(
        first_word_seconds=answer.first_piece_seconds or answer.elapsed_seconds,
        seconds=answer.elapsed_seconds,
        read_tokens=completion.prompt_tokens - completion.reused_tokens,
        written_tokens=completion.generated_tokens,
    )
