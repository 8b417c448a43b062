"""Asks the language model whether a passage shows that an answer is right, and how sure it is of that (self-verification).

Small models answer nearly every question, in other languages than English above all: asked for a shoe size that no note tells, they
write "Ana has a sister" and cite the note that says so. The same models mostly see that this is no answer when they are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from noderag_local.domain.passages import Source
from noderag_local.generation.answer_prompt import filled, quoted
from noderag_local.generation.citing.markers import MARKER
from noderag_local.generation.semantic_filter import YES_NO, difference
from noderag_local.generation.sentence_windows import cut_window, sentence_windows
from noderag_local.models.llm.engine import Engine, Message, Request, Role, never
from noderag_local.models.llm.prompt_files import turns
from noderag_local.text.stems import all_stems, question_stems


class AnswerCheck:
    """Checks answers to one question."""

    def __init__(
        self, engine: Engine, question: str, sources: Sequence[Source], cancelled: Callable[[], bool] = never
    ) -> None:
        """Keeps what answers are checked with.

        Args:
            engine: engine that is asked.
            question: as the user asked it.
            sources: all sources of the context.
            cancelled: called many times a second; when it returns True, nothing is checked.
        """
        self._engine, self._question, self._sources, self._cancelled = engine, question, sources, cancelled
        self.worked_tokens = 0
        """Tokens that the model read and wrote so far."""
        self.looked_at = 0
        """Number of the source whose passage was looked at last."""

    def score(self, answer: str, numbers: Sequence[int]) -> float | None:
        """Returns by how much "yes, it is right" is likelier than "no", as the difference of log-probabilities; None if cancelled.

        Args:
            answer: with or without markers.
            numbers: the sources that it cites; without any, all are looked at.

        Raises:
            SettingsError: the passage does not fit into the model's context.
            ModelError: the engine failed.
        """
        text = " ".join(MARKER.sub("", answer).split())
        cited = [source for source in self._sources if source.number in numbers] or self._sources
        passage = nearest_passage(f"{self._question} {text}", cited)
        self.looked_at = passage.number
        weighing = self._engine.likelihoods(check_request(passage.text, self._question, text), YES_NO, self._cancelled)
        self.worked_tokens += weighing.completion.worked_tokens
        return difference(*weighing.weights) if weighing.texts else None


def check_request(passage: str, question: str, answer: str) -> Request:
    """Returns the request that is answered by "yes" or "no".

    Args:
        passage: what the answer is held against.
        question: as the user asked it.
        answer: without markers.
    """
    *before, template = turns("generation", "check_answer")
    fields = {"passage": quoted(passage, question), "question": " ".join(question.split()), "answer": answer}
    return Request((*before, Message(Role.USER, filled(template.content, fields))), 2)


class NearestPassage(NamedTuple):
    """A sentence of a source between its neighbours."""

    number: int
    """Number of the source."""
    text: str
    """The sentences behind the title, as they are shown."""


def nearest_passage(text: str, sources: Sequence[Source]) -> NearestPassage:
    """Returns the sentence that shares most words with a text, between its neighbours.

    Args:
        text: a question with its answer.
        sources: where to look; at least one.
    """
    wanted = list(question_stems(text).values())
    passages = (passage for source in sources for passage in _passages(source))
    return max(passages, key=lambda passage: _shared(wanted, passage[0]), default=("", NearestPassage(0, "")))[1]


def _passages(source: Source) -> Iterator[tuple[str, NearestPassage]]:
    """Yields each sentence behind the title, alone and as a passage."""
    label = f"{source.title}: " if source.title else ""
    for sentence, text in sentence_windows(source.text):
        if sentence:
            shown = cut_window(text, text.index(sentence), len(sentence))
            yield f"{source.title} {sentence}", NearestPassage(source.number, label + shown)


def _shared(wanted: Sequence[frozenset[str]], text: str) -> int:
    held = all_stems(text)
    return sum(not held.isdisjoint(stems) for stems in wanted)
