"""The lists of entities, themes and dates with their search field; one of them is visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from noderag_local.domain.errors import NoderagError, VaultMissing
from noderag_local.interfaces.tui.explore.entity_list import EntityList
from noderag_local.interfaces.tui.explore.theme_list import ThemeList
from noderag_local.interfaces.tui.explore.timeline_list import TimelineList
from noderag_local.interfaces.tui.shared.line_list import LineList
from noderag_local.interfaces.tui.shared.no_notes import NO_NOTES
from noderag_local.interfaces.tui.shell.owner import noderag_of

if TYPE_CHECKING:
    from noderag_local.vault.browsing.themes import ListedTheme

VIEWS: dict[str, type[EntityList | ThemeList | TimelineList]] = {
    "entities": EntityList,
    "themes": ThemeList,
    "timeline": TimelineList,
}
SEARCHED = {
    "entities": "Words of a name",
    "themes": "Words of a title",
    "timeline": "A date: 1957, 2026-03, 16 June 1957",
}
LOADING = "Reading …"


class ExploreLists(Vertical):
    """Shows one of the three lists; each keeps its own query."""

    DEFAULT_CSS = """
    ExploreLists {
        Input { border: none; height: 1; padding: 0 1; background: $surface; }
        Input:focus { border: none; background: $panel; }
        LineList { display: none; }
        LineList.-seen { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
    ]

    class VaultChanged(Message):
        """Posted when the vault has changed since the list was read."""

    class Failed(Message):
        """Posted when a list could not be read."""

        def __init__(self, why: str) -> None:
            self.why = why
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view = "entities"
        """Name of the visible list."""
        self._queries = dict.fromkeys(VIEWS, "")
        self._themes: tuple[ListedTheme, ...] | None = None

    def compose(self) -> ComposeResult:
        """Lays out the search field above the lists."""
        yield Input(id="explore-search", select_on_focus=False)
        for list_class in VIEWS.values():
            yield list_class()

    def on_mount(self) -> None:
        """Shows that the lists are being read."""
        for line_list in self.query(LineList):
            line_list.empty = LOADING

    @property
    def seen(self) -> EntityList | ThemeList | TimelineList:
        """The visible list."""
        return self.query_one(VIEWS[self.view])

    @property
    def field(self) -> Input:
        """The search field."""
        return self.query_one(Input)

    @property
    def has_keys(self) -> bool:
        """Whether the visible list or the field has the focus."""
        return self.seen.has_focus or self.field.has_focus

    def show(self, view: str) -> None:
        """Shows a list and focuses it."""
        self.view = view
        for line_list in self.query(LineList):
            line_list.set_class(line_list is self.seen, "-seen")
        self.field.placeholder = SEARCHED[view]
        with self.field.prevent(Input.Changed):
            self.field.value = self._queries[view]
        self.seen.focus()
        self.load()

    @work(exclusive=True, group="load")
    async def load(self) -> None:
        """Reads the visible list, if the vault has changed."""
        try:
            await self._load()
        except VaultMissing:
            self.seen.empty = NO_NOTES
            self.seen.show_rows(0)
        except NoderagError as error:
            self.post_message(self.Failed(str(error)))

    async def _load(self) -> None:
        session, query, line_list = noderag_of(self).session, self._queries[self.view], self.seen
        if isinstance(line_list, EntityList):
            catalogue = await session.read(lambda vault: vault.atlas.entities())
            if catalogue is not line_list.catalogue:
                line_list.show_changed(catalogue, query)
                self.post_message(self.VaultChanged())
        elif isinstance(line_list, ThemeList):
            themes = await session.read(lambda vault: vault.atlas.themes())
            if themes is not self._themes:
                self._themes = themes
                line_list.show_changed(themes, query)
                self.post_message(self.VaultChanged())
        else:
            timeline = await session.read(lambda vault: vault.atlas.timeline())
            if timeline is not line_list.timeline:
                line_list.show(timeline)
                self.post_message(self.VaultChanged())

    @on(TimelineList.Wanted)
    @work(group="moments")
    async def _fetch(self, event: TimelineList.Wanted) -> None:
        session, rows = noderag_of(self).session, event.rows
        try:
            moments = await session.read(lambda vault: vault.atlas.moments(event.timeline, rows.start, rows.stop))
        except NoderagError:
            # The vault is gone; the next reading of the list reports it.
            return
        self.query_one(TimelineList).fill(event.timeline, moments)

    @on(Input.Changed)
    def _searched(self, event: Input.Changed) -> None:
        self._queries[self.view] = event.value
        line_list = self.seen
        if isinstance(line_list, EntityList) and line_list.catalogue is not None:
            line_list.show(line_list.catalogue, event.value)
        elif isinstance(line_list, ThemeList) and self._themes is not None:
            line_list.show(self._themes, event.value)
        elif isinstance(line_list, TimelineList):
            line_list.go_to(event.value)

    @on(Input.Submitted)
    def _search_entered(self) -> None:
        if isinstance(self.seen, TimelineList):
            self.seen.focus()
        else:
            self.seen.action_choose()

    def action_move(self, by: int) -> None:
        """Moves the cursor of the list while the field has the focus."""
        self.seen.action_move(by)
