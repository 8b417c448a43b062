"""`noderag show`: shows a document, entity or source of the vault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault
from noderag_local.system.printing.amounts import counted

if TYPE_CHECKING:
    from rich.console import Console

    from noderag_local.domain.holdings import Shown
    from noderag_local.graph.summaries.entity_summary import EntitySummary, Placed

PASSAGES_SHOWN = 10
NEIGHBOURS_SHOWN = 20

Name = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME...",
        help="Path or title of a document, name of an entity, title of an overview, PATH:LINE or 'PATH, page 3'.",
        show_default=False,
    ),
]


def show(name: Name, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Show a document, an entity or the source at a line.

    A document is shown with its links; an entity with its description, relationships, semantic units, communities, neighbours
    and the sentences that name it. If a document and an entity have the name, both are shown.

    \b
    Examples:
      noderag show trips/lisbon.md
      noderag show "Marta Oliveira"
      noderag show "Marta Oliveira | Porto"
      noderag show trips/lisbon.md:12
      noderag show "trips/tickets.pdf, page 3"
    """
    from noderag_local.interfaces.cli.json_output import print_document

    with opened_vault(vault) as opened:
        shown = opened.show(" ".join(name))
    if as_json:
        print_document(shown)
    else:
        _print_shown(shown)


def _print_shown(shown: Shown) -> None:
    from rich.text import Text

    from noderag_local.interfaces.cli import printed
    from noderag_local.system.printing.plain_text import printable

    out = printed.console()
    printed.show(out, Text(printable(shown.name), style="bold").append(f"  {shown.type.name.lower()}", style="dim"))
    for label, value in shown.kinds:
        printed.show(out, f"{label}: {value}", indent=2)
    portrait: EntitySummary | None = getattr(shown, "portrait", None)
    if portrait is not None:
        _print_portrait(out, portrait)
    if shown.passages:
        _print_title(out, "sentences")
    for source in shown.passages[:PASSAGES_SHOWN]:
        printed.show(
            out, Text(printed.place(source.path, source.first_line, source.last_line, source.place), style="cyan")
        )
        printed.show(out, source.text.strip(), indent=4)
    _print_rest(out, len(shown.passages) - PASSAGES_SHOWN, "passage")
    if shown.neighbours:
        _print_title(out, "beside it")
    for neighbour in shown.neighbours[:NEIGHBOURS_SHOWN]:
        kind = neighbour.type.name.lower()
        printed.show(out, f"{neighbour.edge.value}  {neighbour.name}  ({kind}, {neighbour.weight:.2f})", indent=2)
    _print_rest(out, len(shown.neighbours) - NEIGHBOURS_SHOWN, "neighbour")
    entity: Shown | None = getattr(shown, "entity", None)
    if entity is not None:
        printed.show(out)
        _print_shown(entity)


def _print_portrait(out: Console, portrait: EntitySummary) -> None:
    from noderag_local.interfaces.cli import printed

    if portrait.attribute:
        _print_title(out, "copied from the notes" if portrait.attribute_copied else "described by the language model")
        printed.show(out, portrait.attribute, indent=2)
    _print_placed(out, "relationships", portrait.relationships, portrait.all_relationships)
    _print_placed(out, "semantic units", portrait.units, portrait.all_units)
    for community in portrait.communities:
        _print_title(out, f"community of {counted(community.members, 'nodes')}")
        for element in community.elements:
            printed.show(out, f"{element.title}: {element.description}", indent=2)
        if not community.elements:
            printed.show(out, "no summary yet", indent=2)


def _print_placed(out: Console, title: str, found: tuple[Placed, ...], total: int) -> None:
    from rich.text import Text

    from noderag_local.interfaces.cli import printed

    if not found:
        return
    _print_title(out, f"{title} ({total:,})" if total > len(found) else title)
    for one in found:
        printed.show(out, one.text, indent=2)
        if one.path:
            where = printed.place(one.path, one.first_line, one.last_line, one.place)
            printed.show(out, Text(where, style="cyan"), indent=4)


def _print_title(out: Console, title: str) -> None:
    from rich.text import Text

    from noderag_local.interfaces.cli import printed

    printed.show(out)
    printed.show(out, Text(title, style="bold dim"))


def _print_rest(out: Console, number: int, what: str) -> None:
    from noderag_local.interfaces.cli import printed

    if number > 0:
        printed.show(out, f"and {counted(number, f'more {what}s')}; --json lists them all.", indent=2)
