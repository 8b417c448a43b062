"""The lines of a theme's page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from textual.content import Content

from noderag_local.domain.graph import NodeType
from noderag_local.interfaces.tui.reader.navigation import NavigationStep
from noderag_local.interfaces.tui.reader.node_page import Entry, amount_shown, heading
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.cited_place import named

if TYPE_CHECKING:
    from noderag_local.vault.browsing.themes import ThemePage, ThemeUnit

UNTITLED = "(no title yet)"


def theme_entries(page: ThemePage) -> Iterator[Entry]:
    """Yields the theme's text, its entities, and the statements that it was made from."""
    figures = f"  {counted(page.members, 'nodes')}"
    yield Entry(on_one_line(page.title or UNTITLED, "bold") + Content.styled(figures, "$text-muted"))
    for element in page.elements:
        yield Entry(Content("\n") + on_one_line(element.title, "bold $text-primary"))
        yield Entry(safe_text(element.description))
    if page.entities:
        yield heading("Entities", amount_shown(len(page.entities), page.all_entities))
    for entity in page.entities:
        figure = Content.styled(f"  {entity.together:,}", "$text-muted")
        yield Entry(
            Content("→ ") + on_one_line(entity.name) + figure, NavigationStep(NodeType.ENTITY, entity.node, entity.name)
        )
    if page.units:
        yield heading("Statements", amount_shown(len(page.units), page.all_units))
    for unit in page.units:
        yield Entry(_unit(unit), unit.source)


def _unit(unit: ThemeUnit) -> Content:
    source = unit.source
    where = named(PurePath(source.path).name, source.first_line, source.place) if source else ""
    return Content("· ") + on_one_line(unit.text) + Content("  ") + on_one_line(where, "$text-muted")
