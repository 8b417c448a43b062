"""`noderag show`: one document, entity or source of the vault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.cli.options import AsJson, VaultDir, opened_vault

if TYPE_CHECKING:
    from rich.console import Console

    from noderag_local.records import Shown

PASSAGES_SHOWN = 10
NEIGHBOURS_SHOWN = 20

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Path or title of a document, name of an entity, or PATH:LINE.", show_default=False
    ),
]


def show(name: Name, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Show a document, an entity or the source at a line.

    A document comes with its links, an entity with what stands beside it and the sentences that name it.

    \b
    Examples:
      noderag show trips/lisbon.md
      noderag show "Marta Oliveira"
      noderag show trips/lisbon.md:12
    """
    from noderag_local.cli.documents import print_document

    with opened_vault(vault) as opened:
        shown = opened.show(name)
    if as_json:
        print_document(shown)
    else:
        _print_shown(shown)


def _print_shown(shown: Shown) -> None:
    from rich.text import Text

    from noderag_local.cli import screen
    from noderag_local.plain_text import printable

    out = screen.console()
    screen.show(out, Text(printable(shown.name), style="bold").append(f"  {shown.type.name.lower()}", style="dim"))
    for label, value in shown.kinds:
        screen.show(out, f"{label}: {value}", indent=2)
    if shown.passages:
        screen.show(out)
    for source in shown.passages[:PASSAGES_SHOWN]:
        screen.show(out, Text(screen.place(source.path, source.first_line, source.last_line), style="cyan"))
        screen.show(out, source.text.strip(), indent=4)
    _print_rest(out, len(shown.passages) - PASSAGES_SHOWN, "passage")
    if shown.neighbours:
        screen.show(out)
    for neighbour in shown.neighbours[:NEIGHBOURS_SHOWN]:
        kind = neighbour.type.name.lower()
        screen.show(out, f"{neighbour.edge.value}  {neighbour.name}  ({kind}, {neighbour.weight:.2f})", indent=2)
    _print_rest(out, len(shown.neighbours) - NEIGHBOURS_SHOWN, "neighbour")


def _print_rest(out: Console, number: int, what: str) -> None:
    from noderag_local.cli import screen

    if number > 0:
        screen.show(out, f"and {screen.count(number, f'more {what}')}; --json lists them all.", indent=2)
