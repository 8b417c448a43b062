"""`noderag eval`: scores retrieval and answers on questions with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.notes.index_command import ByLines
from noderag_local.interfaces.cli.options import AsJson, VaultDir
from noderag_local.interfaces.cli.questions.corpus import DumpFile, Limit
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from noderag_local.evaluation.provenance import Provenance
    from noderag_local.evaluation.questions import EvalQuestion
    from noderag_local.evaluation.runs import AnswerForm, Run
    from noderag_local.interfaces.cli.questions.corpus_run import CorpusRun

SMALL_AND_LARGE = "1000,2000,6000,12000"
SUITE_BUDGETS = "500,1000,2000"
"""Default budgets of a suite; small, since with large ones every method finds everything in a few hundred notes."""

NOTHING_NAMED = "name a file of questions and its --corpus or --contexts, or a folder of corpora with --suite"

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
Sweep = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PARAMETER=VALUE,VALUE",
        show_default=False,
        help="Change a parameter of each method that has it, such as beta=0.6; several values are a sweep, one variant "
        "each. May be given several times.",
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
Contexts = Annotated[
    Path | None,
    typer.Option(
        "--contexts",
        metavar="DUMP.jsonl",
        help="Instead of searching a corpus, answer from the contexts of this dump, to measure a model or a prompt quickly.",
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
    assignments: Sweep = None,
    budgets: Budgets = None,
    answers: Answers = False,
    full_answers: FullAnswers = False,
    cache: Cache = None,
    limit: Limit = 0,
    dump: DumpFile = None,
    contexts: Contexts = None,
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
      noderag eval qa.json --contexts run.jsonl --answers --methods noderag --budgets 1000
      noderag eval qa.json --corpus corpus.jsonl --methods ket --set theta=0.2,0.4,0.6
      noderag eval --suite ~/corpora
    """
    from noderag_local.evaluation.questions import read_questions
    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.questions.corpus_run import CorpusRun

    form = _form(answers, full_answers, cache)
    own: dict[str, object] = {"--corpus": corpus, "--lines": by_lines, "--report": report, "--beside": beside}
    if suite is not None:
        from noderag_local.interfaces.cli.questions.suite_command import evaluate_suite

        own |= {"QA.json": qa_file, "--answers": answers, "--full-answers": full_answers}
        _refuse("--suite", own | {"--cache": cache, "--dump": dump, "--contexts": contexts})
        evaluate_suite(
            suite,
            methods,
            assignments or (),
            chosen_budgets(SUITE_BUDGETS if budgets is None else budgets),
            limit,
            vault,
            as_json,
        )
        return
    read_from = contexts or corpus
    if qa_file is None or read_from is None:
        raise typer.BadParameter(NOTHING_NAMED)
    questions = read_questions(qa_file)[: limit or None]
    if dump is not None:
        _refuse_unusable(dump, questions)
    if contexts is not None:
        from noderag_local.interfaces.cli.questions.contexts_command import evaluate_contexts

        _refuse("--contexts", own | {"--full-answers": full_answers, "--vault": vault, "--set": assignments})
        if form is None:
            raise typer.BadParameter("--contexts only lets a model answer; give --answers too")
        sizes = [] if budgets is None else chosen_budgets(budgets)
        done, is_stopped = evaluate_contexts(read_from, questions, methods, sizes, cache, dump)
    else:
        asked = CorpusRun(
            questions,
            methods,
            assignments or (),
            chosen_budgets(SMALL_AND_LARGE if budgets is None else budgets),
            form,
            dump,
        )
        title = printable(f"{qa_file.stem} on {read_from.stem}")
        done, is_stopped = _run_on(asked, read_from, by_lines, vault, cache, report, beside or (), title)
    _print_scores(done, as_json)
    if is_stopped:
        raise typer.Exit(STOPPED)


def _run_on(
    asked: CorpusRun,
    corpus: Path,
    by_lines: bool,
    vault: Path | None,
    cache: Path | None,
    report: Path | None,
    beside: Sequence[Path],
    title: str,
) -> tuple[list[Run], bool]:
    """Runs the questions on a corpus and writes the report; returns the runs, and whether Ctrl-C was pressed."""
    from noderag_local.evaluation.dump import read_dump

    others = [read_dump(path, asked.questions) for path in beside]
    provenance, done, is_stopped = asked.on(corpus, by_lines, vault, cache, report)
    if report is not None and done:
        _write_report(report, [(provenance, done), *others], title)
    return done, is_stopped


def _refuse(chosen: str, given: Mapping[str, object]) -> None:
    """Raises an error if options were given that the chosen one has no use for."""
    if useless := [name for name, value in given.items() if value]:
        raise typer.BadParameter(f"{chosen} takes no {', '.join(useless)}")


def _form(short: bool, full: bool, cache: Path | None) -> AnswerForm | None:
    from noderag_local.evaluation.runs import AnswerForm

    if short and full:
        raise typer.BadParameter("--answers and --full-answers are two forms of an answer; give one of them")
    if cache is not None and not (short or full):
        raise typer.BadParameter("--cache keeps what the model writes; give --answers or --full-answers too")
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


def _write_report(folder: Path, dumps: Sequence[tuple[Provenance, Sequence[Run]]], title: str) -> None:
    from noderag_local.evaluation.reports.comparison import by_corpus, compared
    from noderag_local.evaluation.reports.report_page import write_report
    from noderag_local.retrieval.retriever import stages_used

    page = write_report(folder, [compared(of_corpus, stages_used) for of_corpus in by_corpus(dumps)], title)
    typer.echo(printable(f"Report: {page}"), err=True)


def _print_scores(runs: Sequence[Run], as_json: bool) -> None:
    from noderag_local.evaluation.reports.scores import scores, table
    from noderag_local.interfaces.cli.json_output import print_document

    results = scores(runs)
    if as_json:
        print_document(results)
    elif results:
        typer.echo(printable(table(results)))
