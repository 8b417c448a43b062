"""Makes the lines of an entity's page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from textual.content import Content

from noderag_local.domain.graph import NodeType
from noderag_local.interfaces.tui.explore.entity_list import KINDS
from noderag_local.interfaces.tui.explore.navigation import NavigationStep, Place
from noderag_local.interfaces.tui.explore.node_page import Entry, heading
from noderag_local.interfaces.tui.shared.terminal_text import foreign, on_one_line
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.cited_place import named

if TYPE_CHECKING:
    from noderag_local.domain.passages import Source
    from noderag_local.graph.summaries.entity_summary import Placed, ShownCommunity
    from noderag_local.vault.browsing.entity_page import EntityPage, NearEntity

LONGEST = 600
"""Characters of a sentence on a page; the source shows all of it."""


def entity_entries(page: EntityPage) -> Iterator[Entry]:
    """Returns what there is of description, relationships, units, mentions in the order of time, neighbours and themes."""
    portrait = page.portrait
    yield Entry(_head(page))
    if portrait.attribute:
        yield Entry(Content(""))
        yield Entry(foreign(portrait.attribute))
        if portrait.attribute_copied:
            yield Entry(Content.styled("copied from the notes", "$text-muted italic"))
    if page.merged:
        yield heading("Also written")
        yield Entry(on_one_line(" · ".join(page.merged)))
    yield from _neighbours("Also called", page.same, "")
    yield from _placed("Relationships", portrait.relationships, portrait.all_relationships)
    yield from _placed("Statements", portrait.units, portrait.all_units)
    yield from _neighbours("Named together with", page.near, "×")
    yield from _mentions(page)
    yield from _themes(portrait.communities)


def _head(page: EntityPage) -> Content:
    kind = KINDS.get(page.kind, "")
    figures = " · ".join(filter(None, [kind, f"named in {counted(page.all_mentions, 'sentences')}"]))
    return on_one_line(page.name, "bold") + Content.styled(f"  {figures}", "$text-muted")


def _placed(title: str, found: Sequence[Placed], total: int) -> Iterator[Entry]:
    if found:
        yield heading(title, _figure(len(found), total))
    for one in found:
        target = Place(one.path, one.first_line, one.place) if one.path else None
        yield Entry(_line("", one.text, _where(one)), target)


def _neighbours(title: str, found: Sequence[NearEntity], sign: str) -> Iterator[Entry]:
    if found:
        yield heading(title)
    for one in found:
        figure = f"  {sign}{one.together}" if sign else ""
        text = Content("→ ") + on_one_line(one.name) + Content.styled(figure, "$text-muted")
        yield Entry(text, NavigationStep(NodeType.ENTITY, one.node, one.name))


def _mentions(page: EntityPage) -> Iterator[Entry]:
    if page.mentions:
        yield heading("Mentions, oldest note first", _figure(len(page.mentions), page.all_mentions))
    for mention in page.mentions:
        source = mention.source
        yield Entry(_line(mention.day, source.text, _where(source)), source)


def _themes(communities: Sequence[ShownCommunity]) -> Iterator[Entry]:
    told = [element for community in communities for element in community.elements]
    if told:
        yield heading("Themes that it is part of")
    for element in told:
        title = on_one_line(element.title, "bold") + Content(". ") if element.title else Content("")
        yield Entry(title + foreign(element.description))


def _line(before: str, text: str, where: str) -> Content:
    """Returns the line of a sentence, with the day of its note and its place."""
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    start = Content.styled(f"{before}  ", "$text-muted") if before else Content("· ")
    return start + on_one_line(shown) + Content("  ") + on_one_line(where, "$text-muted")


def _where(one: Placed | Source) -> str:
    return named(PurePath(one.path).name, one.first_line, one.place) if one.path else ""


def _figure(shown: int, total: int) -> str:
    return f"{shown:,} of {total:,}" if shown < total else ""
