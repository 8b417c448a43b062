"""The list of themes, largest first, and the lines of a theme's page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from textual.content import Content

from noderag_local.domain.graph import NodeType
from noderag_local.interfaces.tui.reader.navigation import NavigationStep
from noderag_local.interfaces.tui.reader.node_page import Entry, heading
from noderag_local.interfaces.tui.shared.line_list import LineList, fitted, one_line
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.cited_place import named

if TYPE_CHECKING:
    from noderag_local.vault.browsing.themes import ListedTheme, ThemePage, ThemeUnit

COUNT_CELLS = 7
UNTITLED = "(no title yet)"
EMPTY = "No themes yet: the language model finds them as it reads (f3, then n)."
NO_MATCH = "No theme has these words in its title."


class ThemeList(LineList):
    """Shows each theme's title and number of nodes."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, empty=EMPTY)
        self._themes: Sequence[ListedTheme] = ()

    def show(self, themes: Sequence[ListedTheme], query: str) -> None:
        """Shows the themes whose titles contain all words of a query."""
        self._take(themes, query)
        self.show_rows(len(self._themes))

    def show_changed(self, themes: Sequence[ListedTheme], query: str) -> None:
        """Shows the matching themes after a change of the vault; the cursor stays on its theme if that still exists."""
        before, at = {theme.community: place for place, theme in enumerate(self._themes)}, self.cursor
        self._take(themes, query)
        now = (place for place, theme in enumerate(self._themes) if before.get(theme.community) == at)
        self.show_again(len(self._themes), next(now, at))

    def _take(self, themes: Sequence[ListedTheme], query: str) -> None:
        words = query.casefold().split()
        self._themes = [theme for theme in themes if all(word in theme.title.casefold() for word in words)]
        self.empty = NO_MATCH if themes else EMPTY

    def step_of(self, row: int) -> NavigationStep:
        """Returns the page of a row's theme."""
        theme = self._themes[row]
        return NavigationStep(NodeType.COMMUNITY, theme.community, theme.title or UNTITLED)

    def cells(self, row: int, width: int) -> Sequence[tuple[str, str]]:
        """Returns the text of a theme's row."""
        theme = self._themes[row]
        title = fitted(f" {one_line(theme.title) or UNTITLED}", width - COUNT_CELLS - 1)
        return [(title, "" if theme.elements else "muted"), (f"{theme.members:>{COUNT_CELLS},} ", "muted")]


def theme_entries(page: ThemePage) -> Iterator[Entry]:
    """Yields the theme's text, its entities, and the statements that it was made from."""
    figures = f"  {counted(page.members, 'nodes')}"
    yield Entry(on_one_line(page.title or UNTITLED, "bold") + Content.styled(figures, "$text-muted"))
    for element in page.elements:
        yield Entry(Content("\n") + on_one_line(element.title, "bold $text-primary"))
        yield Entry(safe_text(element.description))
    if page.entities:
        yield heading("Entities", _figure(len(page.entities), page.all_entities))
    for entity in page.entities:
        figure = Content.styled(f"  {entity.together:,}", "$text-muted")
        yield Entry(
            Content("→ ") + on_one_line(entity.name) + figure, NavigationStep(NodeType.ENTITY, entity.node, entity.name)
        )
    if page.units:
        yield heading("Statements", _figure(len(page.units), page.all_units))
    for unit in page.units:
        yield Entry(_unit(unit), unit.source)


def _unit(unit: ThemeUnit) -> Content:
    source = unit.source
    where = named(PurePath(source.path).name, source.first_line, source.place) if source else ""
    return Content("· ") + on_one_line(unit.text) + Content("  ") + on_one_line(where, "$text-muted")


def _figure(shown: int, total: int) -> str:
    return f"{shown:,} of {total:,}" if shown < total else ""
