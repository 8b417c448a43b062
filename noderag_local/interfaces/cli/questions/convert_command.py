"""`noderag convert`: turns a public data set of questions into files for `noderag eval`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.options import AsJson, Force
from noderag_local.interfaces.cli.questions.corpus import Limit
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noderag_local.evaluation.datasets.dataset_files import Rejected

SHOWN_REJECTED = 20
"""Entries that were left out and are told one by one; --json tells all."""

FormatName = Annotated[
    str,
    typer.Argument(
        metavar="FORMAT",
        help="musique, hotpotqa, 2wikimultihopqa, hipporag, multihop-rag, ultradomain or jsonl.",
        show_default=False,
    ),
]
Sources = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE...",
        help="Files of the data set: its questions, and its corpus where that is a file of its own.",
        show_default=False,
    ),
]
Target = Annotated[
    Path, typer.Option("--to", metavar="FOLDER", help="Folder for qa.json and corpus.jsonl.", show_default=False)
]


def convert(
    format_name: FormatName,
    sources: Sources,
    target: Target,
    limit: Limit = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Turn a public data set into files for noderag eval.

    Nothing is downloaded. Paragraphs of all questions make one corpus. Entries that cannot be used are left out and named by their lines.

    \b
    Examples:
      noderag convert musique musique_ans_v1.0_dev.jsonl --to musique
      noderag convert hipporag hotpotqa.json hotpotqa_corpus.json --to hotpotqa --limit 1000
      noderag eval musique/qa.json --corpus musique/corpus.jsonl
    """
    from noderag_local.evaluation.datasets.conversion import FORMATS, write
    from noderag_local.evaluation.datasets.conversion import convert as converted_from
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.system.printing.amounts import counted

    form = FORMATS.get(format_name)
    if form is None:
        raise typer.BadParameter(f"there is no format {format_name!r}; choose one of {', '.join(FORMATS)}")
    if len(sources) != len(form.files):
        raise typer.BadParameter(
            f"the format {form.name} has {counted(len(form.files), 'files')}, such as {' and '.join(form.files)}; "
            f"{len(sources)} given"
        )
    made = converted_from(form, sources, limit)
    questions, corpus = write(made, target, replace=force)
    if as_json:
        print_document(
            {"questions": questions, "corpus": corpus, "asked": len(made.questions), "paragraphs": len(made.pool)}
            | {"rejected": made.rejected}
        )
        return
    _tell_rejected(made.rejected)
    typer.echo(
        printable(
            f"{counted(len(made.questions), 'questions')} about {counted(len(made.pool), 'paragraphs')}. Now:\n"
            f"noderag eval {questions} --corpus {corpus}"
        )
    )


def _tell_rejected(rejected: Sequence[Rejected]) -> None:
    from noderag_local.interfaces.cli.failures import say

    for one in rejected[:SHOWN_REJECTED]:
        say(one.told)
    if len(rejected) > SHOWN_REJECTED:
        say(f"{len(rejected) - SHOWN_REJECTED:,} more entries were left out; --json names them.")
