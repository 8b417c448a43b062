"""What the models and the settings have alike: a list, and what is at its cursor explained beside or below it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import OptionList

from noderag_local.tui.places import from_home
from noderag_local.tui.text import on_one_line
from noderag_local.tui.widgets.key_line import KeyLine
from noderag_local.tui.widgets.status_line import StatusLine

BESIDE_CELLS = 100
"""From this width on the explanation stands beside the list, else below it."""


class ListedScreen(Screen[None]):
    """Subclasses say which list, what explains a row, and how both are filled."""

    AUTO_FOCUS = "#list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (BESIDE_CELLS, "-wide")]

    def new_list(self) -> OptionList:
        """The list, with the id "list"; to be overridden."""
        raise NotImplementedError

    def new_explanation(self) -> Iterable[Widget]:
        """What stands in the frame beside the list; to be overridden."""
        raise NotImplementedError

    def new_foot(self) -> Iterable[Widget]:
        """What stands above the last two lines."""
        return ()

    def show_all(self) -> None:
        """Fills the list, as wide as it is now, and explains the row at its cursor; to be overridden."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """List, explanation, and the lines at the foot."""
        with Horizontal(id="body"):
            yield self.new_list()
            with VerticalScroll(id="detail", can_focus=False):
                yield from self.new_explanation()
        yield from self.new_foot()
        yield StatusLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Names the list."""
        self.listed.border_title = self.TITLE or ""

    def on_resize(self) -> None:
        """The list's columns follow its width."""
        self.call_after_refresh(self.show_all)

    @property
    def listed(self) -> OptionList:
        """The list."""
        return self.query_one("#list", OptionList)

    def name_place(self, place: Path) -> None:
        """Tells under the list where its rows come from."""
        self.listed.border_subtitle = on_one_line(from_home(place)).markup

    def name_row(self, name: str) -> None:
        """Tells over the explanation what it is about."""
        self.query_one("#detail").border_title = on_one_line(name).markup
