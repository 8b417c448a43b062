"""Base class of the models and settings screens: a list, with an explanation of its row beside or below it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widget import Widget

from noderag_local.interfaces.tui.shared.option_lists import ChoiceList
from noderag_local.interfaces.tui.shared.terminal_text import from_home, on_one_line
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.status_line import StatusLine

BESIDE_CELLS = 100
"""Minimum width for an explanation beside the list; otherwise it is below."""


class ListedScreen(Screen[None]):
    """A screen with a list and an explanation of its row; subclasses fill the list, also after `ChoiceList.WidthChanged`."""

    DEFAULT_CSS = """
    ListedScreen {
        #body { height: 1fr; }
        #list {
            width: 1fr;
            height: 1fr;
            border: round $border-blurred;
            background: $background;
            padding: 0 1;
            &:focus { border: round $border; background-tint: $foreground 0%; }
        }
        #detail {
            width: 46;
            height: 1fr;
            padding: 0 1;
            border: round $border-blurred;
            border-title-color: $text-primary;
        }
    }
    ListedScreen.-narrow {
        #body { layout: vertical; }
        #detail { width: 1fr; height: 10; }
    }
    """
    AUTO_FOCUS = "#list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (BESIDE_CELLS, "-wide")]

    def __init__(self, listed: ChoiceList, explanation: Iterable[Widget], foot: Iterable[Widget] = ()) -> None:
        """Creates the screen.

        Args:
            listed: list to show.
            explanation: widgets in the frame beside the list.
            foot: widgets above the last two lines.
        """
        super().__init__()
        self.listed = listed
        self._explanation = tuple(explanation)
        self._foot = tuple(foot)

    def compose(self) -> ComposeResult:
        """Lays out the list, the explanation, and the lines at the foot."""
        with Horizontal(id="body"):
            yield self.listed
            with VerticalScroll(id="detail", can_focus=False):
                yield from self._explanation
        yield from self._foot
        yield StatusLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Puts the title over the list."""
        self.listed.border_title = self.TITLE or ""

    def name_place(self, place: Path) -> None:
        """Shows below the list where its rows come from."""
        self.listed.border_subtitle = on_one_line(from_home(place)).markup

    def name_row(self, name: str) -> None:
        """Shows the name of the row above its explanation."""
        self.query_one("#detail").border_title = on_one_line(name).markup
