"""`noderag eval --suite`: compares the default method with the simplest searches on every corpus of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from noderag_local.interfaces.cli.options import opened_vault
from noderag_local.interfaces.cli.questions.corpus import corpus_vault, index_corpus
from noderag_local.interfaces.cli.questions.corpus_run import chosen_methods, tell_run
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noderag_local.evaluation.suite.matrix import MarkedSet
    from noderag_local.evaluation.suite.suite_folder import QuestionSet, SuiteCorpus
    from noderag_local.interfaces.cli.interruption import Interruption
    from noderag_local.vault.vault import Vault


def evaluate_suite(
    folder: Path,
    methods: str,
    assignments: Sequence[str],
    budgets: Sequence[int],
    limit: int,
    vault: Path | None,
    as_json: bool,
) -> None:
    """Runs every corpus of a folder and prints the matrix of corpora and methods.

    Args:
        folder: folder of the suite.
        methods: value of --methods; the default and the simple methods are always run.
        assignments: values of --set; they change the named methods.
        budgets: tokens of the contexts.
        limit: maximum questions per file; 0 for all.
        vault: folder for the vaults, one per corpus; None for a folder beside the default vault.
        as_json: True prints one JSON document.

    Raises:
        SourceError: the folder has no corpus with questions.
        Exit: Ctrl-C was pressed; finished results are printed.
    """
    from noderag_local.config import load_settings
    from noderag_local.evaluation.suite.suite_folder import read_suite
    from noderag_local.interfaces.cli.failures import STOPPED, say
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.retrieval.retriever import canonical

    suite = read_suite(folder, limit)
    for sentence in suite.left_out:
        say(sentence)
    vaults = vault or corpus_vault(folder)
    with clean_stop("Stopping; what is done is shown. Ctrl-C again stops at once.") as stop:
        marked = [
            one
            for corpus in suite.corpora
            if not stop.asked()
            for one in _marked(corpus, vaults / corpus.name, methods, assignments, budgets, stop)
        ]
    _print_matrix(marked, canonical(load_settings().method), suite.left_out, as_json)
    if stop.asked():
        raise typer.Exit(STOPPED)


def _marked(
    corpus: SuiteCorpus,
    vault: Path,
    methods: str,
    assignments: Sequence[str],
    budgets: Sequence[int],
    stop: Interruption,
) -> Iterator[MarkedSet]:
    """Indexes a corpus unless that was done before, and yields the marks of each finished set of questions."""
    from noderag_local.interfaces.cli.failures import say

    with opened_vault(vault) as opened:
        say(f"{corpus.name}:")
        index_corpus(opened, corpus.path, corpus.by_lines, stop)
        if stop.asked():
            return
        opened.count_exactly()
        chosen = _methods_of(opened, methods, assignments, corpus)
        for asked in corpus.asked:
            marked = _run(opened, corpus, asked, chosen, budgets, stop)
            if stop.asked():
                return
            yield marked


def _methods_of(vault: Vault, methods: str, assignments: Sequence[str], corpus: SuiteCorpus) -> list[str]:
    """Returns the methods to run: the default, the simple ones, then the others; opens the language model if one needs it."""
    from noderag_local.evaluation.suite.matrix import SIMPLE_METHODS
    from noderag_local.retrieval.retriever import asks_model, canonical
    from noderag_local.retrieval.variants import variants

    named = chosen_methods(vault, methods, corpus.asked[0].questions[0].question, answered=False)
    chosen = list(dict.fromkeys([canonical(vault.settings.method), *SIMPLE_METHODS, *variants(named, assignments)]))
    if any(map(asks_model, chosen)):
        vault.open_model()
    return chosen


def _run(
    vault: Vault,
    corpus: SuiteCorpus,
    asked: QuestionSet,
    methods: Sequence[str],
    budgets: Sequence[int],
    stop: Interruption,
) -> MarkedSet:
    """Returns the marks of all runs on a set of questions; incomplete if the user stops it."""
    from noderag_local.evaluation.runs import run_questions
    from noderag_local.evaluation.suite.matrix import MarkedSet, mark
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    marks: dict[tuple[str, int], list[float]] = {(method, budget): [] for method in methods for budget in budgets}
    with shown_stages() as progress:
        for run in run_questions(vault, asked.questions, methods, budgets, cancelled=stop.asked):
            of_method = marks[run.method, run.budget_tokens]
            of_method.append(mark(run, asked.measure, corpus))
            tell_run(progress, run, len(of_method), len(asked.questions))
    return MarkedSet(asked, marks)


def _print_matrix(marked: Sequence[MarkedSet], default: str, left_out: Sequence[str], as_json: bool) -> None:
    """Prints the matrix, the tables by kind of question, and what the columns mean."""
    from noderag_local.evaluation.suite.matrix import matrix_rows, mean_margin, rows_by_kind
    from noderag_local.evaluation.suite.matrix_table import explained, matrix_table
    from noderag_local.interfaces.cli.json_output import print_document

    rows = matrix_rows(marked, default)
    kinds = [of_kind for one in marked if (of_kind := rows_by_kind(one, default))]
    if as_json:
        margin = mean_margin(rows) if rows else None
        document = {"default": default, "mean_margin": margin, "rows": rows, "kinds": kinds, "left_out": left_out}
        print_document(document)
    elif rows:
        tables = [matrix_table(rows), *(f"{of_kind[0].name}\n{matrix_table(of_kind)}" for of_kind in kinds)]
        typer.echo(printable("\n\n".join([*tables, explained(rows, default)])))
