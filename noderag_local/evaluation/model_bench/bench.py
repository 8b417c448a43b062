"""Asks a language model the questions of the benchmark, and sums up its points and its speed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from noderag_local.evaluation.engine_around import EngineAround
from noderag_local.evaluation.marks import MarkedRun, marked
from noderag_local.evaluation.model_bench.reading_questions import ReadingQuestion
from noderag_local.evaluation.reports.scores import KindScore, kind_scores
from noderag_local.evaluation.runs import AnswerForm, Run
from noderag_local.generation.answering import Answerer
from noderag_local.models.language_model import OpenedEngine
from noderag_local.models.llm.engine import Completion, Finish


@dataclass(frozen=True, slots=True)
class ReadingAnswer:
    """The answer to a question of the benchmark, and its cost."""

    run: Run
    language: str
    """ISO 639-1 code of the question."""
    completion: Completion


@dataclass(frozen=True, slots=True)
class ModelScore:
    """Points and speed of a model."""

    model: str
    kinds: tuple[KindScore, ...]
    """Points by kind of question, all questions last."""
    languages: tuple[KindScore, ...]
    """Points by language of the question."""
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
    engine: OpenedEngine, questions: Iterable[ReadingQuestion], answer_tokens: int, cancelled: Callable[[], bool]
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
    answerer = Answerer(_Writing(engine), answer_tokens)
    for one in questions:
        answer = answerer.stream(one.found, one.asked.question, cancelled).finish()
        if answer.finish is Finish.CANCELLED or answer.completion is None:
            return
        titles = tuple(note.title for note in one.found.sources)
        run = Run(
            *(one.asked, engine.name, 0, one.found.context, 0, 0.0, titles),
            answer=answer.text,
            form=AnswerForm.FULL,
            abstained=answer.abstained,
            llm_tokens=answer.llm_tokens,
        )
        yield ReadingAnswer(run, one.language, answer.completion)


class _Writing(EngineAround):
    """A model that writes every answer itself, so that small ones, large ones and servers are compared in the same task."""

    @property
    def weighs(self) -> bool:
        """False, so that no words of the notes are weighed in place of an answer."""
        return False

    @property
    def is_small(self) -> bool:
        """False, so that no answer is checked, or asked for again, because the model is small."""
        return False


def score_of(model: str, answers: Sequence[ReadingAnswer]) -> ModelScore:
    """Returns points and speed of a model; `answers` must not be empty."""
    costs = [one.completion for one in answers]
    runs = [marked(one.run) for one in answers]
    answerable = [one.run for one in answers if not one.run.question.is_unanswerable]
    by_language = [_of_kind(run, one.language) for run, one in zip(runs, answers, strict=True)]
    written = [cost.written_per_second for cost in costs if cost.written_per_second]
    return ModelScore(
        model=model,
        kinds=kind_scores(runs),
        languages=kind_scores(by_language)[:-1],
        missed=100 * sum(run.abstained for run in answerable) / max(len(answerable), 1),
        first_word_seconds=median(cost.first_token_seconds for cost in costs),
        read_per_second=median((cost.prompt_tokens - cost.reused_tokens) / cost.first_token_seconds for cost in costs),
        written_per_second=median(written) if written else 0.0,
        elapsed_seconds=sum(cost.elapsed_seconds for cost in costs),
    )


def _of_kind(run: MarkedRun, kind: str) -> MarkedRun:
    return replace(run, run=replace(run.run, question=replace(run.run.question, kind=kind)))
