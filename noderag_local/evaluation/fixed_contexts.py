"""Answers questions from the contexts of a dump, so that a prompt or a model is measured without a search."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.evaluation.metered_model import Meter, MeteredEngine
from noderag_local.evaluation.runs import AnswerForm, Run
from noderag_local.generation.answering import Answerer
from noderag_local.models.language_model import OpenedEngine
from noderag_local.models.llm.engine import Finish


def answer_contexts(engine: OpenedEngine, runs: Iterable[Run], cancelled: Callable[[], bool]) -> Iterator[Run]:
    """Yields each run with a short answer from its context; ends early if `cancelled` returns True.

    A question is answered as a whole: the steps that `noderag ask` takes would need a search. Tokens, calls and time are those of
    the answer alone.

    Args:
        engine: the model that answers.
        runs: runs with their contexts, as a dump has them; their earlier answers are replaced.
        cancelled: called many times a second.

    Raises:
        SettingsError: a context and its answer do not fit into the model.
        ModelError: the model failed.
    """
    meter = Meter()
    answerer = Answerer(MeteredEngine(engine, meter))
    for run in runs:
        started = time.perf_counter()
        answer = answerer.stream(_found(run), run.question.question, cancelled, short=True).finish()
        if answer.finish is Finish.CANCELLED:
            return
        yield replace(
            run,
            answer=answer.text,
            form=AnswerForm.SHORT,
            abstained=answer.abstained,
            llm_tokens=answer.llm_tokens,
            use=meter.take(),
            seconds=time.perf_counter() - started,
        )


def _found(run: Run) -> Retrieval:
    """The search of a run, as far as a dump tells; a short answer needs no places."""
    whole = Source(1, "", 0, "", (), 1, 1, 0, len(run.context.encode()), run.context)
    return Retrieval(
        *(run.method, run.question.question, run.budget_tokens, run.context, run.tokens, (whole,), (), ()),
        run.elapsed_ms,
    )
