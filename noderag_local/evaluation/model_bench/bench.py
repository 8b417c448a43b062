"""Asks a language model the questions of the benchmark, and sums up what it reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from noderag_local.evaluation.answer_marks import answer_mark
from noderag_local.evaluation.bootstrap import Interval, mean_interval
from noderag_local.evaluation.model_bench.reading_questions import ReadingQuestion
from noderag_local.generation.answering import Answer, Answerer
from noderag_local.models.llm.engine import Engine, Finish


@dataclass(frozen=True, slots=True)
class ReadingAnswer:
    """A question and what the model answered."""

    question: ReadingQuestion
    answer: Answer

    @property
    def mark(self) -> float:
        """Mark of the answer, between 0 and 1."""
        return answer_mark(self.question.asked, self.answer.text, self.answer.abstained)


@dataclass(frozen=True, slots=True)
class ReadingPoints:
    """Points of a group of answers."""

    group: str
    """Kind or language of the questions; "" for all."""
    questions: int
    points: Interval
    """Mean mark in percent, with its interval."""


@dataclass(frozen=True, slots=True)
class ModelScore:
    """What a model reached."""

    model: str
    kinds: tuple[ReadingPoints, ...]
    """Points by kind of question, all questions last."""
    languages: tuple[ReadingPoints, ...]
    missed: float
    """Percentage of the answerable questions to which the model said that the notes do not tell."""
    first_word_seconds: float
    """Median time to the first word of an answer."""
    read_per_second: float
    """Median of the tokens read per second."""
    written_per_second: float
    """Median of the tokens written per second; 0 if every answer was too short to tell."""
    elapsed_seconds: float
    """Time of all answers."""


def answers_of(
    engine: Engine, questions: Iterable[ReadingQuestion], answer_tokens: int, cancelled: Callable[[], bool]
) -> Iterator[ReadingAnswer]:
    """Yields the answer to each question; ends early if `cancelled` returns True.

    Args:
        engine: the model. Nothing but the model decides: the checks that `noderag ask` makes are left out.
        questions: questions to ask.
        answer_tokens: maximum tokens of an answer.
        cancelled: called many times a second.

    Raises:
        ModelError: the model failed.
        SettingsError: a question and its answer do not fit into the model.
    """
    answerer = Answerer(engine, answer_tokens)
    for question in questions:
        answer = answerer.stream(question.found, question.asked.question, cancelled).finish()
        if answer.finish is Finish.CANCELLED:
            return
        yield ReadingAnswer(question, answer)


def score_of(model: str, answers: Sequence[ReadingAnswer]) -> ModelScore:
    """Returns what a model reached; `answers` must not be empty."""
    costs = [one.answer.completion for one in answers if one.answer.completion]
    answerable = [one for one in answers if not one.question.asked.is_unanswerable]
    written = [cost.written_per_second for cost in costs if cost.written_per_second]
    return ModelScore(
        model=model,
        kinds=(*_grouped(answers, lambda one: one.question.asked.kind), _points("", answers)),
        languages=_grouped(answers, lambda one: one.question.language),
        missed=100 * sum(one.answer.abstained for one in answerable) / max(len(answerable), 1),
        first_word_seconds=median(cost.first_token_seconds for cost in costs),
        read_per_second=median((cost.prompt_tokens - cost.reused_tokens) / cost.first_token_seconds for cost in costs),
        written_per_second=median(written) if written else 0.0,
        elapsed_seconds=sum(cost.elapsed_seconds for cost in costs),
    )


def _grouped(answers: Sequence[ReadingAnswer], group_of: Callable[[ReadingAnswer], str]) -> tuple[ReadingPoints, ...]:
    groups = dict.fromkeys(map(group_of, answers))
    return tuple(_points(group, [one for one in answers if group_of(one) == group]) for group in groups)


def _points(group: str, answers: Sequence[ReadingAnswer]) -> ReadingPoints:
    return ReadingPoints(group, len(answers), mean_interval([100 * one.mark for one in answers]))
