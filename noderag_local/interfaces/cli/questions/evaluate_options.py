"""Defines the options of `noderag eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SMALL_AND_LARGE = "1000,2000,6000,12000"
SUITE_BUDGETS = "500,1000,2000"
"""Default budgets of a suite; small, since with large ones every method finds everything in a few hundred notes."""

QaFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="QA.json",
        help='Questions: a list of {"id", "question", "answer"} with optional "aliases", "supports", "support_lines", "kind" and "others".',
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
    bool,
    typer.Option("--answers", help="Also let the language model answer in a short phrase, for EM, F1 and accuracy."),
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
PriceIn = Annotated[
    float | None,
    typer.Option(
        "--price-in",
        metavar="PRICE",
        min=0,
        help="Price of a million tokens that the model reads; with --price-out, what its work would cost is shown.",
        show_default=False,
    ),
]
PriceOut = Annotated[
    float | None,
    typer.Option(
        "--price-out",
        metavar="PRICE",
        min=0,
        help="Price of a million tokens that the model writes, in the same currency.",
        show_default=False,
    ),
]
