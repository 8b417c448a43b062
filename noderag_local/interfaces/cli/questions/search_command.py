"""`noderag search`: lists the passages that fit a question."""

from __future__ import annotations

from dataclasses import asdict
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from rich.console import Console

    from noderag_local.domain.passages import Retrieval

STARTS_SHOWN = 8
NAME_WIDTH = 70

Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, show_default=False, help="Maximum number of passages.")
]
Why = Annotated[
    bool, typer.Option("--why", help="Also show why each passage was chosen: scores, and where the search started.")
]
AsContext = Annotated[bool, typer.Option("--context", help="Print exactly the text that a language model would get.")]


def search(
    question: Question,
    method: Method = "",
    assignments: Set = None,
    budget: Budget = None,
    limit: Limit = None,
    folder: Folder = "",
    tag: Tag = "",
    since: Since = "",
    until: Until = "",
    why: Why = False,
    context: AsContext = False,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Find the passages that fit a question.

    They are listed best first, with file, lines and heading. Only methods that end in -llm, and hyde, use a language model.

    \b
    Examples:
      noderag search "When does the lease end?"
      noderag search "Who recommended the hotel in Porto?" --budget 2000 --why
      noderag search "server backup" --folder ~/notes/work --since 2024-03
      noderag search "server backup" --method bm25 --json
      noderag search "server backup" --method ket --set theta=0.6
      xclip -o | noderag search - --limit 1
    """
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.resident.leaving import leave_resident
    from noderag_local.retrieval.scope_words import scope_of

    (asked,) = question
    scope = scope_of(folder, tag, since, until)
    with opened_vault(vault) as opened:
        chosen = method_with(opened, method, assignments)
        found = opened.search(asked, method=chosen, budget_tokens=budget or 0, scope=scope, most_passages=limit)
    if as_json:
        print_document(_fields(found))
    elif context:
        _print_context(found)
    else:
        _print_sources(found, why)
    leave_resident(opened)


def _fields(found: Retrieval) -> dict[str, Any]:
    """Returns a retrieval for JSON, with the names that `noderag ask --json` has for the same."""
    fields = asdict(found)
    for name, shown in (("tokens", "context_tokens"), ("elapsed_ms", "search_ms")):
        fields[shown] = fields.pop(name)
    # Nothing is in the context then.
    del fields["is_near"]
    return fields


def _print_context(found: Retrieval) -> None:
    from noderag_local.system.printing.plain_text import printable

    typer.echo(printable(found.context), nl=not found.context.endswith("\n"))


def _print_sources(found: Retrieval, why: bool) -> None:
    from noderag_local.interfaces.cli.printed import console, show, source_line
    from noderag_local.system.printing.amounts import counted

    out = console()
    if not found.sources:
        show(out, "Nothing in the vault fits this question. Try other words, or index more notes.")
        return
    for source in found.sources:
        show(out, source_line(source))
        show(out, source.text.strip(), indent=4)
    summary = (
        f"{counted(len(found.sources), 'sources')}, {found.tokens:,} of {found.budget_tokens:,} tokens, "
        f"{found.method}, {found.elapsed_ms:.0f} ms"
    )
    show(out)
    show(out, summary)
    if why:
        _print_reasons(out, found)


def _print_reasons(out: Console, found: Retrieval) -> None:
    from noderag_local.interfaces.cli.printed import show

    if found.seeds:
        show(out, "The search started from, by weight:")
    for name, weight in found.seeds[:STARTS_SHOWN]:
        show(out, f"{weight:6.3f}  {shorten(' '.join(name.split()), NAME_WIDTH, placeholder=' …')}", indent=2)
    show(out, "What is in the context, by score:")
    for ranked in found.ranked:
        parts = ", ".join(f"{name} {value:.3f}" for name, value in ranked.reasons if value)
        show(out, f"{ranked.score:6.3f}  [{ranked.source}] {ranked.type.name.lower()} {ranked.node}: {parts}", indent=2)
