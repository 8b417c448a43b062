"""`noderag eval --contexts`: lets a model answer from the contexts of an earlier run, without a search."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from noderag_local.interfaces.cli.questions.corpus_run import EVERY_METHOD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noderag_local.evaluation.dump import Dump
    from noderag_local.evaluation.marks import MarkedRun
    from noderag_local.evaluation.questions import EvalQuestion
    from noderag_local.evaluation.runs import Run
    from noderag_local.models.language_model import OpenedEngine


def evaluate_contexts(
    contexts: Path,
    questions: Sequence[EvalQuestion],
    methods: str,
    budgets: Sequence[int],
    cache: Path | None,
    dump: Path | None,
) -> tuple[list[MarkedRun], bool]:
    """Answers from the contexts of a dump; returns the runs with their answers and marks, and whether Ctrl-C was pressed.

    Args:
        contexts: dump of `noderag eval`.
        questions: questions to answer; those without a context in the dump are left out.
        methods: value of --methods; empty means all.
        budgets: budgets whose contexts are read; none means all.
        cache: file of what the model writes; None for none.
        dump: file for the runs; None for none.

    Raises:
        BadParameter: the dump has no such context, or is also the file for the runs.
        SettingsError: there is no such method.
        SourceError: a file cannot be read or written, or is not a dump.
        ModelMissing: there is no language model.
        ModelError: the model failed.
    """
    from noderag_local import __version__
    from noderag_local.config import load_settings
    from noderag_local.evaluation.dump import Dump, read_dump
    from noderag_local.evaluation.marks import marked
    from noderag_local.generation.answering import ANSWER_TOKENS
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.options import language_model_of
    from noderag_local.retrieval.method_spec import listed_specs
    from noderag_local.retrieval.retriever import canonical

    if dump is not None and dump.exists() and dump.samefile(contexts):
        raise typer.BadParameter("--contexts and --dump are the same file; name another one for the answers")
    provenance, runs = read_dump(contexts, questions)
    named = [] if methods.strip() == EVERY_METHOD else [canonical(method) for method in listed_specs(methods)]
    wanted = [run for run in runs if _is_wanted(run, questions, named, budgets)]
    if not wanted:
        raise typer.BadParameter(f"{contexts} has no context for these questions, methods and budgets")
    with (
        clean_stop("Stopping; the answers so far are scored. Ctrl-C again stops at once.") as stop,
        closing(language_model_of(load_settings(), cache)) as model,
    ):
        engine = model.needed("Answering")
        # Only the answers are new; what made the contexts is told by the dump that has them.
        made_of = replace(provenance, model=engine.name, identity=engine.identity, answer_tokens=ANSWER_TOKENS)
        with Dump(dump, replace(made_of, version=__version__), questions) as kept:
            _answer(engine, wanted, kept, stop.asked)
            return list(map(marked, kept.of(*_methods_and_budgets(wanted)))), stop.asked()


def _answer(engine: OpenedEngine, wanted: Sequence[Run], kept: Dump, cancelled: Callable[[], bool]) -> None:
    """Answers from the contexts that have no answer yet, and keeps each answer."""
    from noderag_local.domain.progress import Progress
    from noderag_local.evaluation.fixed_contexts import answer_contexts
    from noderag_local.evaluation.runs import AnswerForm
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    left = [run for run in wanted if not kept.has(run.question, run.method, run.budget_tokens, AnswerForm.SHORT)]
    with shown_stages() as progress:
        for number, run in enumerate(answer_contexts(engine, left, cancelled), 1):
            kept.keep(run)
            progress(Progress("answering", number, len(left), "questions"))


def _methods_and_budgets(runs: Sequence[Run]) -> tuple[list[str], list[int]]:
    return list(dict.fromkeys(run.method for run in runs)), list(dict.fromkeys(run.budget_tokens for run in runs))


def _is_wanted(run: Run, questions: Sequence[EvalQuestion], methods: Sequence[str], budgets: Sequence[int]) -> bool:
    return (
        run.question in questions
        and (not methods or run.method in methods)
        and (not budgets or run.budget_tokens in budgets)
    )
