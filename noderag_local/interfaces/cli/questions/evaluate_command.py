"""`noderag eval`: scores retrieval and answers on questions with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.disk_notes import tell_of_plain_copy
from noderag_local.interfaces.cli.notes.index_command import ByLines
from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault
from noderag_local.interfaces.cli.questions.corpus import DumpFile, Limit, corpus_vault, index_corpus, provenance_of
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noderag_local.domain.progress import Progress
    from noderag_local.evaluation.provenance import Provenance
    from noderag_local.evaluation.questions import EvalQuestion
    from noderag_local.evaluation.runs import AnswerForm, Run
    from noderag_local.interfaces.cli.interruption import Interruption
    from noderag_local.vault.vault import Vault

EVERY_METHOD = "all"
"""Value of --methods that selects all methods."""

SMALL_AND_LARGE = "1000,2000,6000,12000"
SUITE_BUDGETS = "500,1000,2000"
"""Default budgets of a suite; small, since with large ones every method finds everything in a few hundred notes."""

QaFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="QA.json",
        help='Questions: a list of {"id", "question", "answer"} with optional "aliases", "supports", "kind" and "others".',
        show_default=False,
    ),
]
Methods = Annotated[
    str,
    typer.Option(
        "--methods",
        metavar="A,B",
        help="Methods to compare; all selects every one that this vault supports. A suite always has the default, "
        "naive and bm25.",
        show_default=False,
    ),
]
OneCorpus = Annotated[
    Path | None,
    typer.Option("--corpus", metavar="PATH", help="File or folder that the questions are about.", show_default=False),
]
SuiteFolder = Annotated[
    Path | None,
    typer.Option(
        "--suite",
        metavar="FOLDER",
        help="Instead of one corpus, compare methods on every corpus of a folder, with its questions.",
        show_default=False,
    ),
]
Budgets = Annotated[
    str | None,
    typer.Option(
        "--budgets",
        metavar="N,M",
        help=f"Tokens of the context; by default {SMALL_AND_LARGE}, for a suite {SUITE_BUDGETS}.",
        show_default=False,
    ),
]
Answers = Annotated[
    bool, typer.Option("--answers", help="Also let the language model answer in a short phrase, for EM and F1.")
]
FullAnswers = Annotated[
    bool,
    typer.Option(
        "--full-answers", help="Also let the language model answer as for a person, for points by kind of question."
    ),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FILE",
        help="Keep what the model writes in this file, so that the same prompt costs nothing the next time.",
        show_default=False,
    ),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="DIR", help="Folder for a report with intervals and plots.", show_default=False),
]
Beside = Annotated[
    list[Path] | None,
    typer.Option(
        "--beside",
        metavar="DUMP.jsonl",
        help="Add the runs of another vault to the report; those about other questions get their own section. May be "
        "given several times.",
        show_default=False,
    ),
]


def evaluate(
    qa_file: QaFile = None,
    corpus: OneCorpus = None,
    suite: SuiteFolder = None,
    by_lines: ByLines = False,
    methods: Methods = "",
    budgets: Budgets = None,
    answers: Answers = False,
    full_answers: FullAnswers = False,
    cache: Cache = None,
    limit: Limit = 0,
    dump: DumpFile = None,
    report: Report = None,
    beside: Beside = None,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Score retrieval and answers on questions with known answers.

    The corpus is indexed first, unless that was done before; without --vault, into a vault of its own.

    \b
    Examples:
      noderag eval qa-dev.json --corpus corpus.txt --lines --budgets 1000,2000 --dump run.jsonl
      noderag eval qa.json --corpus corpus.jsonl --methods noderag,naive,bm25
      noderag eval qa.json --corpus corpus.jsonl --budgets 1000 --answers --limit 40
      noderag eval questions.json --corpus notes --budgets 1000 --full-answers --cache answers.jsonl
      noderag eval qa.json --corpus corpus.jsonl --methods all --dump run.jsonl --report report
      noderag eval --suite ~/corpora
    """
    from noderag_local.evaluation.dump import read_dump
    from noderag_local.evaluation.questions import read_questions
    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.interruption import clean_stop

    if suite is not None:
        from noderag_local.interfaces.cli.questions.suite_command import evaluate_suite

        alone: dict[str, object] = {"QA.json": qa_file, "--corpus": corpus, "--lines": by_lines, "--answers": answers}
        alone |= {"--full-answers": full_answers, "--cache": cache}
        alone |= {"--dump": dump, "--report": report, "--beside": beside}
        if given := [name for name, value in alone.items() if value]:
            raise typer.BadParameter(f"--suite finds corpora and questions itself and takes no {', '.join(given)}")
        evaluate_suite(
            suite, methods, chosen_budgets(SUITE_BUDGETS if budgets is None else budgets), limit, vault, as_json
        )
        return
    if qa_file is None or corpus is None:
        raise typer.BadParameter("name a file of questions and its --corpus, or a folder of corpora with --suite")
    form = _form(answers, full_answers)
    if cache is not None and form is None:
        raise typer.BadParameter("--cache keeps what the model writes; give --answers or --full-answers too")
    questions = read_questions(qa_file)[: limit or None]
    sizes = chosen_budgets(SMALL_AND_LARGE if budgets is None else budgets)
    others = [read_dump(path, questions) for path in beside or ()]
    if dump is not None:
        _refuse_unusable(dump, questions)
    with (
        clean_stop("Stopping; what is done is kept. Ctrl-C again stops at once.") as stop,
        opened_vault(vault or corpus_vault(corpus), cache=cache) as opened,
    ):
        index_corpus(opened, corpus, by_lines, stop)
        if stop.asked():
            raise typer.Exit(STOPPED)
        provenance, done = _run(opened, questions, methods, sizes, form, dump, stop)
        for written in (dump, report):
            tell_of_plain_copy(opened, written)
    _print_scores(done, as_json)
    if report is not None and done:
        _write_report(report, [(provenance, done), *others], printable(f"{qa_file.stem} on {corpus.stem}"))
    if stop.asked():
        raise typer.Exit(STOPPED)


def _form(short: bool, full: bool) -> AnswerForm | None:
    from noderag_local.evaluation.runs import AnswerForm

    if short and full:
        raise typer.BadParameter("--answers and --full-answers are two forms of an answer; give one of them")
    return AnswerForm.SHORT if short else AnswerForm.FULL if full else None


def chosen_budgets(text: str) -> list[int]:
    """Returns the budgets in the value of an option.

    Raises:
        BadParameter: the value is empty, or contains something other than numbers above 0.
    """
    try:
        sizes = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise typer.BadParameter(f"--budgets {text!r} should be numbers with commas between them, such as 1000,2000")
    return sizes


def _refuse_unusable(dump: Path, questions: Sequence[EvalQuestion]) -> None:
    """Raises an error for a file that cannot store runs, before any long work starts."""
    from noderag_local.evaluation.dump import read_dump
    from noderag_local.system.disk.private_files import open_private

    try:
        with open_private(dump, "ab") as lines:
            is_new = lines.tell() == 0
    except OSError as error:
        raise typer.BadParameter(f"--dump {dump} cannot be written: {error.strerror}") from error
    if not is_new:
        read_dump(dump, questions)


def _run(
    vault: Vault,
    questions: Sequence[EvalQuestion],
    wanted: str,
    budgets: Sequence[int],
    form: AnswerForm | None,
    path: Path | None,
    stop: Interruption,
) -> tuple[Provenance, list[Run]]:
    """Runs the questions; returns what the runs were made with and all runs, including earlier ones."""
    from noderag_local.evaluation.dump import Dump
    from noderag_local.evaluation.runs import run_questions
    from noderag_local.interfaces.cli.stage_bars import shown_stages
    from noderag_local.retrieval.retriever import asks_model

    vault.count_exactly()
    model = vault.open_model() if form else ""
    methods = chosen_methods(vault, wanted, questions[0].question, answered=bool(model))
    if form is None and any(map(asks_model, methods)):
        model = vault.open_model()
    provenance = provenance_of(vault, model)
    with Dump(path, provenance, questions) as dump, shown_stages() as progress:
        runs = run_questions(
            vault,
            questions,
            methods,
            budgets,
            form=form,
            is_done=lambda question, method, budget: dump.has(question, method, budget, form),
            cancelled=stop.asked,
        )
        for run in runs:
            dump.keep(run)
            tell_run(progress, run, questions.index(run.question) + 1, len(questions))
        return provenance, dump.of(methods, budgets)


def chosen_methods(vault: Vault, wanted: str, question: str, answered: bool) -> list[str]:
    """Returns the named methods, or all that can run; prints why the others cannot."""
    from noderag_local.evaluation.runs import runnable
    from noderag_local.interfaces.cli.failures import say

    named = [name.strip() for name in wanted.split(",") if name.strip()]
    if named != [EVERY_METHOD]:
        return named or [vault.settings.method]
    able, left_out = runnable(vault, question, answered=answered)
    for name, reason in left_out:
        say(f"{name} is left out. {reason}")
    return able


def _write_report(folder: Path, dumps: Sequence[tuple[Provenance, Sequence[Run]]], title: str) -> None:
    from noderag_local.evaluation.reports.comparison import by_corpus, compared
    from noderag_local.evaluation.reports.report_page import write_report
    from noderag_local.retrieval.retriever import stages_used

    used = stages_used()
    page = write_report(folder, [compared(of_corpus, used) for of_corpus in by_corpus(dumps)], title)
    typer.echo(printable(f"Report: {page}"), err=True)


def tell_run(progress: Callable[[Progress], None], run: Run, number: int, of: int) -> None:
    """Shows the progress of a method at a budget."""
    from noderag_local.domain.progress import Progress

    progress(Progress(f"{run.method}, {run.budget_tokens:,} tokens", number, of, "questions"))


def _print_scores(runs: Sequence[Run], as_json: bool) -> None:
    from noderag_local.evaluation.reports.scores import scores, table
    from noderag_local.interfaces.cli.json_output import print_document

    results = scores(runs)
    if as_json:
        print_document(results)
    elif results:
        typer.echo(printable(table(results)))
