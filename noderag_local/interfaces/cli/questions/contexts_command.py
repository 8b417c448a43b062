"""`noderag eval --contexts`: lets a model answer from the contexts of an earlier run, without a search."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from noderag_local.interfaces.cli.questions.corpus_run import EVERY_METHOD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noderag_local.evaluation.questions import EvalQuestion
    from noderag_local.evaluation.runs import Run


def evaluate_contexts(
    contexts: Path,
    questions: Sequence[EvalQuestion],
    methods: Sequence[str],
    budgets: Sequence[int],
    cache: Path | None,
    dump: Path | None,
) -> tuple[list[Run], bool]:
    """Answers from the contexts of a dump; returns the runs with their answers, and whether Ctrl-C was pressed.

    Args:
        contexts: dump of `noderag eval`.
        questions: questions to answer; those without a context in the dump are left out.
        methods: methods whose contexts are read; none means all.
        budgets: budgets whose contexts are read; none means all.
        cache: file of what the model writes; None for none.
        dump: file for the runs; None for none.

    Raises:
        BadParameter: the dump has no such context, or is also the file for the runs.
        SourceError: a file cannot be read or written, or is not a dump.
        ModelMissing: there is no language model.
        ModelError: the model failed.
    """
    from noderag_local.config import load_settings
    from noderag_local.domain.progress import Progress
    from noderag_local.evaluation.dump import Dump, read_dump
    from noderag_local.evaluation.fixed_contexts import answer_contexts
    from noderag_local.evaluation.runs import AnswerForm
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.options import language_model_of
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    if dump is not None and dump.exists() and dump.samefile(contexts):
        raise typer.BadParameter("--contexts and --dump are the same file; name another one for the answers")
    provenance, runs = read_dump(contexts, questions)
    wanted = [run for run in runs if _is_wanted(run, questions, methods, budgets)]
    if not wanted:
        raise typer.BadParameter(f"{contexts} has no context for these questions, methods and budgets")
    with (
        clean_stop("Stopping; the answers so far are scored. Ctrl-C again stops at once.") as stop,
        closing(language_model_of(load_settings(), cache)) as model,
        shown_stages() as progress,
    ):
        engine = model.needed("Answering")
        with Dump(dump, replace(provenance, model=engine.name), questions) as kept:
            left = [
                run for run in wanted if not kept.has(run.question, run.method, run.budget_tokens, AnswerForm.SHORT)
            ]
            for number, run in enumerate(answer_contexts(engine, left, stop.asked), 1):
                kept.keep(run)
                progress(Progress("answering", number, len(left), "questions"))
            asked = dict.fromkeys((run.method, run.budget_tokens) for run in wanted)
            done = [run for method, budget in asked for run in kept.of([method], [budget])]
        return done, stop.asked()


def _is_wanted(run: Run, questions: Sequence[EvalQuestion], methods: Sequence[str], budgets: Sequence[int]) -> bool:
    return (
        run.question in questions
        and (methods in ([], [EVERY_METHOD]) or run.method in methods)
        and (not budgets or run.budget_tokens in budgets)
    )
