"""`noderag eval`: scores retrieval and answers on questions with known answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from noderag_local.interfaces.cli.notes.index_command import ByLines
from noderag_local.interfaces.cli.options import AsJson, VaultDir
from noderag_local.interfaces.cli.questions.corpus import DumpFile, Limit
from noderag_local.interfaces.cli.questions.evaluate_options import (
    SMALL_AND_LARGE,
    SUITE_BUDGETS,
    Answers,
    Beside,
    Budgets,
    Cache,
    Contexts,
    FullAnswers,
    Methods,
    OneCorpus,
    PriceIn,
    PriceOut,
    QaFile,
    Report,
    SuiteFolder,
    Sweep,
)
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from noderag_local.evaluation.marks import MarkedRun
    from noderag_local.evaluation.prices import Prices
    from noderag_local.evaluation.provenance import Provenance
    from noderag_local.evaluation.questions import EvalQuestion
    from noderag_local.evaluation.reports.scores import Score
    from noderag_local.evaluation.runs import AnswerForm
    from noderag_local.interfaces.cli.questions.corpus_run import CorpusRun

NOTHING_NAMED = "name a file of questions and its --corpus or --contexts, or a folder of corpora with --suite"


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
    price_in: PriceIn = None,
    price_out: PriceOut = None,
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
    from noderag_local.interfaces.cli.questions.contexts_command import evaluate_contexts
    from noderag_local.interfaces.cli.questions.corpus_run import CorpusRun
    from noderag_local.interfaces.cli.questions.suite_command import evaluate_suite

    form, prices = _form(answers, full_answers, cache), _prices(price_in, price_out)
    own: dict[str, object] = {"--corpus": corpus, "--lines": by_lines, "--report": report, "--beside": beside}
    if suite is not None:
        own |= {"QA.json": qa_file, "--answers": answers, "--full-answers": full_answers}
        _refuse("--suite", own | {"--cache": cache, "--dump": dump, "--contexts": contexts, "--price-in": prices})
        evaluate_suite(suite, methods, assignments or (), _sizes(budgets, SUITE_BUDGETS), limit, vault, as_json)
        return
    if beside and report is None:
        raise typer.BadParameter("--beside adds runs to a report; give --report too")
    read_from = contexts or corpus
    if qa_file is None or read_from is None:
        raise typer.BadParameter(NOTHING_NAMED)
    questions = read_questions(qa_file)[: limit or None]
    if dump is not None:
        _refuse_unusable(dump, questions)
    if contexts is not None:
        _refuse("--contexts", own | {"--full-answers": full_answers, "--vault": vault, "--set": assignments})
        if form is None:
            raise typer.BadParameter("--contexts only lets a model answer; give --answers too")
        done, is_stopped = evaluate_contexts(contexts, questions, methods, _sizes(budgets, ""), cache, dump)
    else:
        sizes = _sizes(budgets, SMALL_AND_LARGE)
        asked = CorpusRun(questions, methods, assignments or (), sizes, form, dump)
        title = printable(f"{qa_file.stem} on {read_from.stem}")
        told = _Report(report, beside or (), title, prices)
        done, is_stopped = _run_on(asked, read_from, by_lines, vault, cache, told)
    _print_scores(done, prices, as_json)
    if is_stopped:
        raise typer.Exit(STOPPED)


@dataclass(frozen=True, slots=True)
class _Report:
    """Options of the report on the runs of a corpus, and the prices for its costs."""

    folder: Path | None
    """Folder of the report; None for no report."""
    beside: Sequence[Path]
    """Dumps whose runs the report has too."""
    title: str
    prices: Prices | None


def _run_on(
    asked: CorpusRun, corpus: Path, by_lines: bool, vault: Path | None, cache: Path | None, report: _Report
) -> tuple[list[MarkedRun], bool]:
    """Runs the questions on a corpus and writes the report; returns the runs, and whether Ctrl-C was pressed."""
    from noderag_local.domain.model_use import NOTHING_ASKED
    from noderag_local.evaluation.dump import read_dump
    from noderag_local.evaluation.marks import marked
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.printing.amounts import counted, size

    others = [read_dump(path, asked.questions) for path in report.beside]
    provenance, runs, is_stopped = asked.on(corpus, by_lines, vault, cache, report.folder)
    done = list(map(marked, runs))
    indexing = sum(provenance.stage_use.values(), NOTHING_ASKED)
    cost = f", which would cost {report.prices.cost(indexing):,.4f}" if report.prices else ""
    say(
        f"The vault has {counted(provenance.documents, 'documents')} of {provenance.corpus_tokens:,} tokens and takes "
        f"{size(provenance.size_bytes)}. For indexing, a language model was asked {counted(indexing.calls, 'times')}, read "
        f"{indexing.prompt_tokens:,} tokens and wrote {indexing.written_tokens:,}{cost}.{_left(provenance)}"
    )
    if report.folder is not None and done:
        beside = [(made_of, list(map(marked, of_dump))) for made_of, of_dump in others]
        _write_report(report.folder, [(provenance, done), *beside], report)
    return done, is_stopped


def _left(provenance: Provenance) -> str:
    """Returns a sentence on the stages that have not run to their end, if the model has begun to read the notes."""
    if not any(one.items for one in provenance.stages or ()):
        return ""
    left = [one.told for one in provenance.stages or () if not one.is_finished]
    return f" Stages that have not run to their end: {', '.join(left)}." if left else " Every stage has run to its end."


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


def _prices(read: float | None, written: float | None) -> Prices | None:
    from noderag_local.evaluation.prices import Prices

    if read is None and written is None:
        return None
    if read is None or written is None:
        raise typer.BadParameter("--price-in and --price-out go together; give both, 0 for a price that is nothing")
    return Prices(read, written)


def _sizes(budgets: str | None, otherwise: str) -> list[int]:
    """Returns the budgets in the value of --budgets, each once, else those in a default, which may be empty.

    Raises:
        BadParameter: the value is empty, or contains something other than numbers above 0.
    """
    text = otherwise if budgets is None else budgets
    try:
        sizes = list(dict.fromkeys(int(part) for part in text.split(",") if part.strip()))
    except ValueError:
        sizes = [0]
    if (budgets is not None and not sizes) or min(sizes, default=1) < 1:
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


def _write_report(folder: Path, dumps: Sequence[tuple[Provenance, Sequence[MarkedRun]]], report: _Report) -> None:
    from noderag_local.evaluation.reports.comparison import by_corpus, compared
    from noderag_local.evaluation.reports.report_page import write_report
    from noderag_local.retrieval.retriever import stages_used

    comparisons = [compared(of_corpus, stages_used, report.prices) for of_corpus in by_corpus(dumps)]
    page = write_report(folder, comparisons, report.title)
    typer.echo(printable(f"Report: {page}"), err=True)


def _fields(score: Score, prices: Prices | None) -> dict[str, Any]:
    """Returns a score for JSON, with the names that `noderag search --json` has for the same, and its cost at known prices."""
    fields = asdict(score)
    fields["context_tokens"], fields["llm_use"] = fields.pop("tokens"), fields.pop("use")
    return fields | ({"cost": prices.cost(score.use) if score.use else None} if prices else {})


def _print_scores(runs: Sequence[MarkedRun], prices: Prices | None, as_json: bool) -> None:
    from noderag_local.evaluation.reports.score_table import table
    from noderag_local.evaluation.reports.scores import scores
    from noderag_local.interfaces.cli.json_output import print_document

    results = scores(runs)
    if as_json:
        print_document([_fields(one, prices) for one in results])
    elif results:
        typer.echo(printable(table(results, prices)))
