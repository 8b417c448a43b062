"""The list of themes, largest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from noderag_local.domain.graph import NodeType
from noderag_local.interfaces.tui.reader.navigation import NavigationStep
from noderag_local.interfaces.tui.reader.theme_entries import UNTITLED
from noderag_local.interfaces.tui.shared.line_list import LineList, fitted, one_line

if TYPE_CHECKING:
    from noderag_local.vault.browsing.themes import ListedTheme

COUNT_CELLS = 7
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
