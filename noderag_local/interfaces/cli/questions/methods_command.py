"""`noderag methods`: lists the retrieval methods, and explains one with its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.completions import method_names
from noderag_local.interfaces.cli.options import AsJson
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noderag_local.retrieval.cards import MethodCard
    from noderag_local.retrieval.parameters import Parameter

Name = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]", help="A method; left out: all of them.", show_default=False, autocompletion=method_names
    ),
]


def methods(name: Name = "", as_json: AsJson = False) -> None:
    """List the retrieval methods, or explain one.

    The explanation tells its paper, its deviations, what was measured, and its parameters.

    \b
    Examples:
      noderag methods
      noderag methods ket
    """
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.retrieval.cards import method_card
    from noderag_local.retrieval.retriever import method_names

    cards = [method_card(one) for one in ([name] if name else method_names())]
    if as_json:
        print_document({"methods": cards})
        return
    lines = _explained(cards[0]) if name else _listed(cards)
    typer.echo(printable("\n".join(lines)))


def _listed(cards: Sequence[MethodCard]) -> Iterator[str]:
    """Yields a line for each method, with its parameters on a second one."""
    width = max(len(card.name) for card in cards)
    for card in cards:
        model = " Asks the language model." if card.asks_model else ""
        yield f"{card.name:{width}}  {card.summary}{model}"
        if card.parameters:
            yield f"{'':{width}}  parameters: {', '.join(one.name for one in card.parameters)}"


def _explained(card: MethodCard) -> Iterator[str]:
    """Yields the card of a method and the table of its parameters."""
    yield from (card.name, "", card.text)
    if card.asks_model:
        yield from ("", "It asks the language model at every question.")
    if card.parameters:
        yield from ("", *_table(card.parameters))


def _table(parameters: Sequence[Parameter]) -> Iterator[str]:
    from noderag_local.retrieval.parameters import shown

    rows = [("parameter", "symbol", "default", "paper", "values", "meaning")]
    for one in parameters:
        paper = "" if one.paper is None else shown(one.paper)
        rows.append((one.name, one.symbol, shown(one.default), paper, one.allowed, one.meaning))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
