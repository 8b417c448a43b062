"""`noderag ask`: answers a question from the notes, with citations."""

from __future__ import annotations

from typing import Annotated

import typer

from noderag_local.interfaces.cli.options import (
    AsJson,
    Budget,
    Folder,
    Method,
    Set,
    Since,
    Tag,
    Until,
    VaultDir,
    method_with,
    opened_vault,
)
from noderag_local.interfaces.cli.questions.question_argument import Question

NoLlm = Annotated[bool, typer.Option("--no-llm", help="Show the passages as the answer, without a language model.")]

Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the answer alone, without passages, sources and notes.")
]


def ask(
    question: Question,
    method: Method = "",
    assignments: Set = None,
    budget: Budget = None,
    folder: Folder = "",
    tag: Tag = "",
    since: Since = "",
    until: Until = "",
    no_llm: NoLlm = False,
    quiet: Quiet = False,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the notes, with citations.

    The best passages come first, while the model reads. Ctrl-C stops the answer and keeps what was written. Without a
    language model, the passages themselves are the answer.

    \b
    Examples:
      noderag ask "Which of my friends cannot eat the tapas that I planned?"
      noderag ask "Wann endet der Mietvertrag?" --budget 2000
      noderag ask "What did we decide?" --tag garden --since 2024-03 --until 2024-06
      noderag ask "When does the lease end?" --no-llm --json
      cat question.txt | noderag ask -
    """
    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.questions.answer_view import answer_fields, begun, print_answer
    from noderag_local.interfaces.resident.leaving import leave_resident
    from noderag_local.retrieval.scope_words import scope_of

    (asked,) = question
    scope = scope_of(folder, tag, since, until)
    with opened_vault(vault) as opened, clean_stop("") as stop:
        stream = begun(
            opened,
            asked,
            method=method_with(opened, method, assignments),
            budget_tokens=budget or 0,
            passages_first=not (quiet or as_json),
            scope=scope,
            with_model=not no_llm,
            cancelled=stop.asked,
        )
        if as_json:
            print_document({**answer_fields(stream.finish()), "question": asked})
        else:
            print_answer(stream, say_how_to_add_model=not no_llm, quiet=quiet)
    if stop.asked():
        raise typer.Exit(STOPPED)
    if no_llm:
        leave_resident(opened)
