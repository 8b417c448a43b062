"""`noderag questions`: lets a language model write open questions about a corpus, for `noderag judge`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.disk_notes import tell_of_plain_copy
from noderag_local.interfaces.cli.notes.index_command import ByLines
from noderag_local.interfaces.cli.options import AsJson, Force, VaultDir, language_model_of
from noderag_local.interfaces.cli.questions.corpus import Corpus, corpus_vault, index_corpus
from noderag_local.interfaces.cli.questions.evaluate_options import Cache
from noderag_local.system.paths import absolute
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from noderag_local.evaluation.judging.question_writing import Numbers, OpenQuestion
    from noderag_local.interfaces.cli.interruption import Interruption
    from noderag_local.models.llm.engine import Engine
    from noderag_local.vault.vault import Vault

MOST = 20
Target = Annotated[Path, typer.Argument(metavar="QUESTIONS.json", help="File to write.", show_default=False)]
Users = Annotated[int, typer.Option("--users", metavar="N", min=1, max=MOST, help="How many people ask.")]
Tasks = Annotated[int, typer.Option("--tasks", metavar="N", min=1, max=MOST, help="How many tasks each has.")]
Each = Annotated[int, typer.Option("--each", metavar="N", min=1, max=MOST, help="How many questions for each task.")]


def questions(
    target: Target,
    corpus: Corpus,
    by_lines: ByLines = False,
    users: Users = 5,
    tasks: Tasks = 5,
    each: Each = 5,
    cache: Cache = None,
    force: Force = False,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Let the language model write open questions about a corpus.

    The model invents people who would use the corpus, tasks of each, and questions for each task, 125 in all, as in LightRAG's paper. What repeats another question is asked for again, and left out if the model has no other. With --cache, a run that was stopped goes on where it was.

    \b
    Examples:
      noderag questions open.json --corpus ~/notes --cache written.jsonl
      noderag questions open.json --corpus corpus.jsonl --users 2 --tasks 2 --each 3
      noderag judge open.json --corpus ~/notes --methods noderag,naive
    """
    from contextlib import closing

    from noderag_local.config import load_settings
    from noderag_local.domain.errors import SourceError
    from noderag_local.evaluation.judging.question_writing import Numbers
    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.safety.ask_passphrase import unlock_at_terminal
    from noderag_local.interfaces.cli.safety.unfinished_forgetting import finish_forgetting
    from noderag_local.vault.vault import Vault

    if target.exists() and not force:
        raise SourceError(f"{target} exists. Name another file, or give --force to replace it.")
    numbers = Numbers(users, tasks, each)
    settings = load_settings(vault=vault or corpus_vault(corpus))
    unlock_at_terminal(absolute(settings.vault))
    with (
        clean_stop("Stopping; --cache keeps what is written. Ctrl-C again stops at once.") as stop,
        closing(language_model_of(settings, cache)) as model,
        Vault(absolute(settings.vault), settings, model) as opened,
    ):
        finish_forgetting(opened)
        engine = model.needed("Writing questions")
        index_corpus(opened, corpus, by_lines, stop)
        made = [] if stop.asked() else _written(opened, engine, numbers, stop)
        if stop.asked():
            raise typer.Exit(STOPPED)
        if not made:
            raise SourceError(
                f"The language model wrote no question about {corpus} that can be used. Try a larger model, or another corpus."
            )
        _write(target, made)
        tell_of_plain_copy(opened, target)
    _tell(target, corpus, made, numbers, as_json)


def _written(opened: Vault, engine: Engine, numbers: Numbers, stop: Interruption) -> list[OpenQuestion]:
    from noderag_local.domain.progress import Progress
    from noderag_local.evaluation.judging.question_writing import OUTLINE_TOKENS, write_questions
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    made = []
    with shown_stages() as progress:
        for one in write_questions(engine, opened.atlas.outline(OUTLINE_TOKENS), numbers, stop.asked):
            made.append(one)
            progress(Progress("questions", len(made), numbers.total, "questions"))
    return made


def _write(target: Path, made: list[OpenQuestion]) -> None:
    from dataclasses import asdict

    from noderag_local.domain.errors import SourceError
    from noderag_local.system.disk.private_files import write_private

    content = json.dumps([asdict(one) for one in made], ensure_ascii=False, indent=1) + "\n"
    try:
        write_private(target, content)
    except OSError as error:
        raise SourceError(f"{target} cannot be written: {error.strerror}. Name another file.") from error


def _tell(target: Path, corpus: Path, made: list[OpenQuestion], numbers: Numbers, as_json: bool) -> None:
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.system.printing.amounts import counted

    missing = numbers.total - len(made)
    if as_json:
        print_document({"questions": target, "written": len(made), "missing": missing})
        return
    left_out = f" {missing:,} are missing, because the model wrote no others that can be used." if missing else ""
    typer.echo(
        printable(
            f"{counted(len(made), 'questions')} in {target}.{left_out} Now:\n"
            f"noderag judge {target} --corpus {corpus} --methods noderag,naive"
        )
    )
