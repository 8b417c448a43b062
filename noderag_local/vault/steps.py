"""Answers the first steps of a question of several steps, each from a search of its own, and returns the last one to ask."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.generation.answering import Answerer
from noderag_local.generation.citing.markers import written
from noderag_local.generation.decomposition import filled_in, places_in, steps_of
from noderag_local.generation.question_language import language_of
from noderag_local.generation.span_answer import ISO_DAY, in_words
from noderag_local.models.llm.engine import Engine
from noderag_local.vault.computing import FoundPerson

STEP_TOKENS = 350
"""Tokens of the context of a step: what stands beside the evidence misleads a small model."""
MOST_WORDS = 6
"""Most words of a step's answer that are put into the next question."""
_YEAR = re.compile(r"1\d{3}|20\d\d")


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
    search_for: str = ""
    """What to search for instead of `rest`; "" if nothing."""
    sources: tuple[Source, ...] = ()
    """Passages that answer the steps, where these are known; unnumbered until the search has ended."""
    read_first: tuple[int, ...] = ()
    """Nodes of the sentences that come first in what is read."""

    @property
    def told(self) -> str:
        """The steps in a line for the user; "" if there are none."""
        marks = [f" {written([source.number])}" for source in self.sources] or [""] * len(self.steps)
        parts = (
            " → ".join(filter(None, (step.question.rstrip(".") + mark, step.answer)))
            for step, mark in zip(self.steps, marks, strict=True)
        )
        return f"In steps: {'; '.join(parts)}." if self.steps else ""

    def numbered_in(self, found: Retrieval) -> tuple[Retrieval, StepsTaken]:
        """Returns what was found with the passages of the steps, and the steps with the numbers of these passages."""
        sources = list(found.sources)
        numbered = []
        for step in self.sources:
            held = next((one for one in sources if _holds(one, step)), None)
            if held is None:
                held = replace(step, number=len(sources) + 1)
                sources.append(held)
            numbered.append(held)
        return replace(found, sources=tuple(sources)), replace(self, sources=tuple(numbered))


def _holds(source: Source, step: Source) -> bool:
    return (source.path, source.record) == (step.path, step.record) and step.text in source.text


def shows_last_step(question: str, found: FoundPerson) -> bool:
    """Returns whether the shape of a question tells what it asks about the person whom it describes."""
    shape = steps_of(question)
    return len(shape) == len(found.path) + 1 and places_in(shape[-1]) == {len(found.path)}


def described_steps(question: str, found: FoundPerson) -> StepsTaken:
    """Returns the steps that lead to a person whom a question describes, and the question with the person's name."""
    shape = steps_of(question)
    names = [""] * (len(found.path) - 1) + [found.name]
    # A small model answers a question that still describes the person by naming the person.
    rest = filled_in(shape[-1], names) if shows_last_step(question, found) else f"{found.search_for}?"
    steps = (AnsweredStep(one.text, name, 0) for one, name in zip(found.path, names, strict=True))
    return StepsTaken(tuple(steps), rest, found.search_for, found.path, found.read_first)


def take_steps(
    steps: Sequence[str],
    engine: Engine,
    search: Callable[[str, int, Sequence[int]], Retrieval],
    cancelled: Callable[[], bool],
) -> StepsTaken | None:
    """Answers all steps but the last; None where one has no answer that stands in the notes.

    Args:
        steps: as `steps_of` returns them.
        engine: the language model.
        search: as in `VaultAsking`.
        cancelled: called many times a second; True gives None.

    Raises:
        ModelError: the model failed.
    """
    found: list[AnsweredStep] = []
    for step in steps[:-1]:
        question = filled_in(step, [one.answer for one in found])
        retrieval = search(question, STEP_TOKENS, ())
        answer = Answerer(engine).stream(retrieval, question, cancelled, short=True, is_step=True).finish()
        text = answer.text.strip(" .\"'")
        if (
            cancelled()
            or answer.abstained
            or not _stands_there(text, retrieval, question)
            or text.casefold() in question.casefold()
        ):
            return None
        found.append(AnsweredStep(question, text, answer.llm_tokens))
    return StepsTaken(tuple(found), filled_in(steps[-1], [one.answer for one in found]))


def _stands_there(answer: str, retrieval: Retrieval, question: str) -> bool:
    """Whether an answer is a short phrase of the context, word for word, or one of its days in words, and no mere number."""
    context, text = " ".join(retrieval.context.split()).casefold(), " ".join(answer.split())
    if not text or len(text.split()) > MOST_WORDS or not _can_be_asked_about(text):
        return False
    language = language_of(question)
    return text.casefold() in context or any(text == in_words(day, language) for day in ISO_DAY.findall(context))


def _can_be_asked_about(answer: str) -> bool:
    """Returns whether the next question can name an answer: it has a letter or is a year.

    Other numbers, such as the code of a box, are usually what the whole question asks for.
    """
    return any(map(str.isalpha, answer)) or _YEAR.fullmatch(answer) is not None
