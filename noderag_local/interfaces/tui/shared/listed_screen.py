"""What the models and the settings have alike: a list, and what is at its cursor explained beside or below it."""

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
"""From this width on the explanation stands beside the list, else below it."""


class ListedScreen(Screen[None]):
    """Holds the frame; subclasses fill the list, anew for each `ChoiceList.WidthChanged`, and explain its rows."""

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
        """A screen of new widgets.

        Args:
            explanation: what stands in the frame beside the list.
            foot: what stands above the last two lines.
        """
        super().__init__()
        self.listed = listed
        self._explanation = tuple(explanation)
        self._foot = tuple(foot)

    def compose(self) -> ComposeResult:
        """List, explanation, and the lines at the foot."""
        with Horizontal(id="body"):
            yield self.listed
            with VerticalScroll(id="detail", can_focus=False):
                yield from self._explanation
        yield from self._foot
        yield StatusLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Names the list."""
        self.listed.border_title = self.TITLE or ""

    def name_place(self, place: Path) -> None:
        """Tells under the list where its rows come from."""
        self.listed.border_subtitle = on_one_line(from_home(place)).markup

    def name_row(self, name: str) -> None:
        """Tells over the explanation what it is about."""
        self.query_one("#detail").border_title = on_one_line(name).markup
