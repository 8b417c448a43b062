"""A finished turn of the conversation, with its answer as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noderag_local.storage.conversations.conversations import Turn

if TYPE_CHECKING:
    from noderag_local.generation.answering import Answer


@dataclass(frozen=True, slots=True)
class Answered:
    """One question with its answer."""

    turn: Turn
    """As it is kept."""
    answer: Answer
    """With its sentences and what each rests on."""


def remade(turn: Turn) -> Answered:
    """Returns a saved turn with its citations checked again; this takes some hundredths of a second."""
    from noderag_local.generation.answering import Answer
    from noderag_local.generation.citing.citations import annotate
    from noderag_local.models.llm.engine import Finish

    held = () if turn.abstained else annotate(turn.answer, turn.found.sources, turn.asked_as or turn.question)
    finish = Finish.CANCELLED if turn.stopped else Finish.STOP
    return Answered(turn, Answer(turn.answer, held, turn.abstained, finish, turn.model, turn.found, turn.note))
