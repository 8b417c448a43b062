"""Answers questions from the contexts of a dump, so that a prompt or a model is measured without a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from noderag_local.evaluation.runs import AnswerForm, Run
from noderag_local.generation.answer_prompt import SHORT_TOKENS, compose
from noderag_local.generation.question_language import language_of
from noderag_local.models.llm.engine import Engine, Finish


def answer_contexts(engine: Engine, runs: Iterable[Run], cancelled: Callable[[], bool]) -> Iterator[Run]:
    """Yields each run with a short answer from its context; ends early if `cancelled` returns True.

    Args:
        engine: the model that answers.
        runs: runs with their contexts, as a dump has them; their earlier answers are replaced.
        cancelled: called many times a second.

    Raises:
        SettingsError: a context and its answer do not fit into the model.
        ModelError: the model failed.
    """
    for run in runs:
        asked = run.question.question
        stream = engine.stream(compose(run.context, asked, language_of(asked), SHORT_TOKENS, short=True), cancelled)
        text = "".join(stream).strip()
        if stream.result.finish is Finish.CANCELLED:
            return
        tokens = stream.result.worked_tokens
        yield replace(run, answer=text, form=AnswerForm.SHORT, abstained=False, llm_tokens=tokens)
