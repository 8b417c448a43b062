"""Answers the first steps of a question of several steps, each from a search of its own, and returns the last one to ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from noderag_local.domain.passages import Retrieval
from noderag_local.generation.answering import Answerer
from noderag_local.generation.decomposition import FOUND
from noderag_local.models.llm.engine import Engine

STEP_TOKENS = 350
"""Tokens of the context of a step: what stands beside the evidence misleads a small model."""
MOST_WORDS = 6
"""Most words of a step's answer that are put into the next question."""


@dataclass(frozen=True, slots=True)
class AnsweredStep:
    """A step that was answered."""

    question: str
    answer: str
    llm_tokens: int


@dataclass(frozen=True, slots=True)
class StepsTaken:
    """The steps of a question that were answered, and what is left to ask."""

    steps: tuple[AnsweredStep, ...]
    rest: str
    """The last question, with the answer of the step before in it."""

    @property
    def told(self) -> str:
        """The steps in a line for the user; "" if there are none."""
        steps = "; ".join(f"{step.question} → {step.answer}" for step in self.steps)
        return f"In steps: {steps}." if steps else ""


def take_steps(
    steps: Sequence[str], engine: Engine, search: Callable[[str, int], Retrieval], cancelled: Callable[[], bool]
) -> StepsTaken | None:
    """Answers all steps but the last; None where one has no answer that stands in the notes.

    Args:
        steps: as `steps_of` returns them.
        engine: the language model.
        search: returns the passages for a question within a number of tokens.
        cancelled: called many times a second; True gives None.

    Raises:
        ModelError: the model failed.
    """
    found: list[AnsweredStep] = []
    for step in steps[:-1]:
        question = step.replace(FOUND, found[-1].answer) if found else step
        retrieval = search(question, STEP_TOKENS)
        answer = Answerer(engine).stream(retrieval, question, cancelled, short=True).finish()
        text = answer.text.strip(" .\"'")
        if (
            cancelled()
            or answer.abstained
            or not _stands_there(text, retrieval)
            or text.casefold() in question.casefold()
        ):
            return None
        found.append(AnsweredStep(question, text, answer.llm_tokens))
    return StepsTaken(tuple(found), steps[-1].replace(FOUND, found[-1].answer))


def _stands_there(answer: str, retrieval: Retrieval) -> bool:
    """Whether an answer is a short phrase of the context, word for word."""
    context = " ".join(retrieval.context.split()).casefold()
    return bool(answer) and len(answer.split()) <= MOST_WORDS and " ".join(answer.split()).casefold() in context
