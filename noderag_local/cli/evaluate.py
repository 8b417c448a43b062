"""`noderag eval`: how good retrieval and answers are on questions with known answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from noderag_local.cli.index import ByLines
from noderag_local.cli.options import AsJson, VaultDir, opened_vault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noderag_local.cli.interruption import Interruption
    from noderag_local.eval.questions import EvalQuestion
    from noderag_local.eval.runs import Run
    from noderag_local.records import Progress
    from noderag_local.vault import Vault

QaFile = Annotated[
    Path,
    typer.Argument(
        metavar="QA.json",
        help='Questions: a list of {"id", "question", "answer"} with optional "aliases" and "supports".',
        show_default=False,
    ),
]
Corpus = Annotated[
    Path, typer.Option("--corpus", metavar="PATH", help="What the questions are about: a file or folder.")
]
Methods = Annotated[
    str, typer.Option("--methods", metavar="A,B", help="Methods to compare; else the default one.", show_default=False)
]
Budgets = Annotated[str, typer.Option("--budgets", metavar="N,M", help="Tokens of the context.")]
Answers = Annotated[bool, typer.Option("--answers", help="Also let the language model answer; EM and F1.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=0, help="The first N questions alone; 0: all.")]
Dump = Annotated[
    Path | None,
    typer.Option("--dump", metavar="OUT.jsonl", help="Where every context and answer goes.", show_default=False),
]


def evaluate(
    qa_file: QaFile,
    corpus: Corpus,
    by_lines: ByLines = False,
    methods: Methods = "",
    budgets: Budgets = "1000,2000,6000,12000",
    answers: Answers = False,
    limit: Limit = 0,
    dump: Dump = None,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Score retrieval and answers on questions with known answers.

    The corpus is indexed first, unless that was done before; without --vault into a vault of its own.

    \b
    Examples:
      noderag eval qa-dev.json --corpus corpus.txt --lines --budgets 1000,2000 --dump run.jsonl
      noderag eval qa.json --corpus corpus.jsonl --methods noderag,naive,bm25
      noderag eval qa.json --corpus corpus.jsonl --budgets 1000 --answers --limit 40
    """
    from noderag_local.cli.failures import STOPPED
    from noderag_local.cli.interruption import clean_stop
    from noderag_local.eval.questions import read_questions

    questions = read_questions(qa_file)[: limit or None]
    sizes = _budgets(budgets)
    with (
        clean_stop("Stopping; what is done is kept. Ctrl-C again stops at once.") as stop,
        opened_vault(vault or corpus_vault(corpus)) as opened,
        _dump_file(dump) as lines,
    ):
        _index(opened, corpus, by_lines, stop)
        names = [name.strip() for name in methods.split(",") if name.strip()] or [opened.settings.method]
        done = [] if stop.asked() else _run(opened, questions, names, sizes, answers, lines, stop)
    _print_scores(done, as_json)
    if stop.asked():
        raise typer.Exit(STOPPED)


def corpus_vault(corpus: Path) -> Path:
    """Where the vault of a corpus lies when the user names none: beside the default one, named after the corpus."""
    from hashlib import sha256

    from noderag_local.config import default_vault

    whole = corpus.absolute()
    return (
        default_vault().parent
        / "eval"
        / f"{whole.stem}-{sha256(str(whole).encode('utf-8', 'replace')).hexdigest()[:8]}"
    )


def _budgets(text: str) -> list[int]:
    try:
        sizes = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise typer.BadParameter(f"--budgets {text!r} should be numbers with commas between them, such as 1000,2000")
    return sizes


@contextmanager
def _dump_file(path: Path | None) -> Iterator[TextIO | None]:
    """The file for the runs, opened before anything long begins."""
    if path is None:
        yield None
        return
    try:
        lines = path.open("w", encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"--dump {path} cannot be written: {error.strerror}") from error
    with lines:
        yield lines


def _index(vault: Vault, corpus: Path, by_lines: bool, stop: Interruption) -> None:
    """Brings the vault up to date with the corpus; a moment's work where nothing has changed."""
    from noderag_local.cli.failures import say
    from noderag_local.cli.stages import shown_stages

    with shown_stages() as progress:
        report = vault.index([corpus], by_lines=by_lines, progress=progress, cancelled=stop.asked)
    if report.added or report.changed or report.removed:
        say(f"Indexed {report.added:,} documents into {vault.folder} in {report.elapsed_seconds:.0f} s.")
    for one in report.skipped:
        if one.is_error:
            say(f"{one.path}: {one.detail or one.reason}")


def _run(
    vault: Vault,
    questions: Sequence[EvalQuestion],
    methods: Sequence[str],
    budgets: Sequence[int],
    answers: bool,
    lines: TextIO | None,
    stop: Interruption,
) -> list[Run]:
    from noderag_local.cli.stages import shown_stages
    from noderag_local.eval.runs import run_questions

    vault.count_exactly()
    runs = run_questions(
        vault,
        questions,
        methods,
        budgets,
        answerer=vault.answerer() if answers else None,
        cancelled=stop.asked,
    )
    done: list[Run] = []
    with shown_stages() as progress:
        for run in runs:
            done.append(run)
            if lines:
                lines.write(json.dumps(run.row(), ensure_ascii=False) + "\n")
                lines.flush()
            _tell(progress, done, len(questions))
    return done


def _tell(progress: Callable[[Progress], None], done: Sequence[Run], of: int) -> None:
    from noderag_local.records import Progress

    latest = done[-1]
    stage = f"{latest.method}, {latest.budget_tokens:,} tokens"
    progress(Progress(stage, (len(done) - 1) % of + 1, of, "questions"))


def _print_scores(runs: Sequence[Run], as_json: bool) -> None:
    from noderag_local.cli.documents import print_document
    from noderag_local.eval.report import scores, table

    results = scores(runs)
    if as_json:
        print_document(results)
    elif results:
        typer.echo(table(results))
