"""The lines of an entity's page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from textual.content import Content

from noderag_local.domain.graph import EntityKind, NodeType
from noderag_local.interfaces.tui.reader.navigation import NavigationStep, Place
from noderag_local.interfaces.tui.reader.node_page import Entry, amount_shown, heading
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.cited_place import named

if TYPE_CHECKING:
    from noderag_local.domain.passages import Source
    from noderag_local.graph.summaries.entity_summary import Placed, ShownCommunity
    from noderag_local.vault.browsing.entity_page import EntityPage, NearEntity
    from noderag_local.vault.browsing.relations import StatedRelation


KINDS = {EntityKind.DATE: "date", EntityKind.QUANTITY: "number"}
"""Text shown beside a name; ordinary names have none."""
LONGEST = 600
"""Maximum characters of a sentence on a page; its source shows all of it."""


def entity_entries(page: EntityPage) -> Iterator[Entry]:
    """Yields the available parts: description, relationships, units, mentions by date, neighbours and themes."""
    summary = page.summary
    yield Entry(_head(page))
    if summary.attribute:
        yield Entry(Content(""))
        yield Entry(safe_text(summary.attribute))
        if summary.attribute_copied:
            yield Entry(Content.styled("copied from the notes", "$text-muted italic"))
    if page.merged:
        yield heading("Also written")
        yield Entry(on_one_line(" · ".join(page.merged)))
    yield from _neighbours("Also called", page.same, "")
    yield from relation_entries(page.relations)
    yield from _placed("Read by the model", summary.relationships, summary.all_relationships)
    yield from _placed("Statements", summary.units, summary.all_units)
    yield from _neighbours("Named together with", page.near, "×")
    yield from _mentions(page)
    yield from _themes(summary.communities)


def relation_entries(relations: Sequence[StatedRelation]) -> Iterator[Entry]:
    """Yields a line for each relation that the notes state; it opens the sentence."""
    if relations:
        yield heading("As the notes state it")
    for one in relations:
        stated = on_one_line(f"{one.label}:", "$text-muted") + Content(" ") + on_one_line(one.value)
        yield Entry(stated + Content("  ") + on_one_line(_where(one.source), "$text-muted"), one.source)


def _head(page: EntityPage) -> Content:
    kind = KINDS.get(page.kind, "")
    figures = " · ".join(filter(None, [kind, f"named in {counted(page.all_mentions, 'sentences')}"]))
    return on_one_line(page.name, "bold") + Content.styled(f"  {figures}", "$text-muted")


def _placed(title: str, found: Sequence[Placed], total: int) -> Iterator[Entry]:
    if found:
        yield heading(title, amount_shown(len(found), total))
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
        yield heading("Mentions, oldest note first", amount_shown(len(page.mentions), page.all_mentions))
    for mention in page.mentions:
        source = mention.source
        yield Entry(_line(mention.day, source.text, _where(source)), source)


def _themes(communities: Sequence[ShownCommunity]) -> Iterator[Entry]:
    told = [element for community in communities for element in community.elements]
    if told:
        yield heading("Themes that it is part of")
    for element in told:
        title = on_one_line(element.title, "bold") + Content(". ") if element.title else Content("")
        yield Entry(title + safe_text(element.description))


def _line(before: str, text: str, where: str) -> Content:
    """Returns the line of a sentence, with the day of its note and its place."""
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    start = Content.styled(f"{before}  ", "$text-muted") if before else Content("· ")
    return start + on_one_line(shown) + Content("  ") + on_one_line(where, "$text-muted")


def _where(one: Placed | Source) -> str:
    return named(PurePath(one.path).name, one.first_line, one.place) if one.path else ""
