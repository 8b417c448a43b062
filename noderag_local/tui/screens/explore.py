"""Explore: the entities, themes and dates of the notes, to be walked through."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Input, Tab, Tabs

from noderag_local.errors import NoderagError, VaultMissing
from noderag_local.records import Source
from noderag_local.tui.jobs import Job
from noderag_local.tui.steps import Step, Target
from noderag_local.tui.widgets.entity_list import EntityList
from noderag_local.tui.widgets.line_list import LineList
from noderag_local.tui.widgets.page_pane import PagePane
from noderag_local.tui.widgets.source_panel import SourcePanel
from noderag_local.tui.widgets.status_line import StatusLine
from noderag_local.tui.widgets.theme_view import ThemeList
from noderag_local.tui.widgets.timeline_view import TimelineList

if TYPE_CHECKING:
    from noderag_local.atlas.themes import ListedTheme
    from noderag_local.tui.app import NoderagApp

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
PREVIEW_SECONDS = 0.12
"""The cursor rests so long on a row before its page is read."""
LOADING = "Reading …"
NO_VAULT = "Nothing was indexed yet: f3, then a, adds a folder."


class ExploreScreen(Screen[None]):
    """A list at the left, the page of what is under the cursor at the right, a source in its place or beside it."""

    CSS_PATH = "explore.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-full")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "view('entities')", "Entities"),
        Binding("2", "view('themes')", "Themes"),
        Binding("3", "view('timeline')", "Timeline"),
        Binding("slash", "search", "Search"),
        Binding("backspace", "back", "Back"),
        Binding("escape", "leave", "To the list", show=False),
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._view = "entities"
        self._queries = dict.fromkeys(VIEWS, "")
        self._themes: tuple[ListedTheme, ...] | None = None
        self._resting: Timer | None = None
        self._awaited: Target | None = None

    @property
    def _noderag(self) -> NoderagApp:
        return cast("NoderagApp", self.app)

    @property
    def _list(self) -> EntityList | ThemeList | TimelineList:
        return self.query_one(VIEWS[self._view])

    @property
    def _page(self) -> PagePane:
        return self.query_one(PagePane)

    def compose(self) -> ComposeResult:
        """Three lists of which one is seen, the page, and the source."""
        yield Tabs(Tab("1 Entities", id="entities"), Tab("2 Themes", id="themes"), Tab("3 Timeline", id="timeline"))
        with Horizontal(id="explore-body"):
            with Vertical(id="explore-lists"):
                yield Input(id="explore-search", select_on_focus=False)
                yield EntityList(id="entity-list")
                yield ThemeList(id="theme-list")
                yield TimelineList(id="timeline-list")
            yield PagePane(id="explore-page")
            yield SourcePanel()
        yield StatusLine()
        yield Footer()

    def on_mount(self) -> None:
        """Begins with the entities; the tabs are for the mouse, as 1, 2 and 3 do the same."""
        self.query_one(Tabs).can_focus = False
        for line_list in self.query(LineList):
            line_list.empty = LOADING
        self._noderag.job_changes.subscribe(self, self._job_changed)
        self._show_view("entities")
        if self._awaited is not None:
            self.visit(self._awaited)

    def on_screen_resume(self) -> None:
        """What changed meanwhile is shown."""
        self._load()

    def visit(self, target: Target) -> None:
        """Opens something from elsewhere; may be called before the screen is there."""
        if not self.is_mounted:
            self._awaited = target
            return
        if isinstance(target, Step):
            self._open(target)
        else:
            self._page.follow(target)

    def _job_changed(self, job: Job) -> None:
        if job.is_over and not job.kind.brings_model and self.is_current:
            self._load()

    def _show_view(self, view: str) -> None:
        self._view = view
        for name in VIEWS:
            self.set_class(name == view, f"-{name}")
        self.remove_class("-page", "-source")
        self.query_one(Tabs).active = view
        field = self.query_one("#explore-search", Input)
        field.placeholder = SEARCHED[view]
        with field.prevent(Input.Changed):
            field.value = self._queries[view]
        self._list.focus()
        self._load()

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        try:
            await self._load_view()
        except VaultMissing:
            self._list.empty = NO_VAULT
            self._list.show_rows(0)
        except NoderagError as error:
            self._page.say(str(error))

    async def _load_view(self) -> None:
        """Reads what the list shows; does nothing where the vault has not changed."""
        desk, query = self._noderag.desk, self._queries[self._view]
        line_list = self._list
        if isinstance(line_list, EntityList):
            catalogue = await desk.read(lambda vault: vault.entities())
            if catalogue is not line_list.catalogue:
                line_list.show(catalogue, query)
                self._page.refresh_page()
        elif isinstance(line_list, ThemeList):
            themes = await desk.read(lambda vault: vault.themes())
            if themes is not self._themes:
                self._themes = themes
                line_list.show(themes, query)
        else:
            timeline = await desk.read(lambda vault: vault.timeline())
            if timeline is not line_list.timeline:
                line_list.show(timeline)

    @on(TimelineList.Wanted)
    @work(group="moments")
    async def _fetch(self, event: TimelineList.Wanted) -> None:
        rows = event.rows
        try:
            moments = await self._noderag.desk.read(lambda vault: vault.moments(event.timeline, rows.start, rows.stop))
        except NoderagError:
            # The vault is gone; the next look at the list says so.
            return
        self.query_one(TimelineList).fill(event.timeline, moments)

    @on(Input.Changed, "#explore-search")
    def _searched(self, event: Input.Changed) -> None:
        self._queries[self._view] = event.value
        line_list = self._list
        if isinstance(line_list, EntityList) and line_list.catalogue is not None:
            line_list.show(line_list.catalogue, event.value)
        elif isinstance(line_list, ThemeList) and self._themes is not None:
            line_list.show(self._themes, event.value)
        elif isinstance(line_list, TimelineList):
            line_list.go_to(event.value)

    @on(Input.Submitted, "#explore-search")
    def _search_entered(self) -> None:
        if isinstance(self._list, TimelineList):
            self._list.focus()
        else:
            self._list.action_choose()

    @on(LineList.Typed)
    def _typed(self, event: LineList.Typed) -> None:
        self.action_search()
        self.query_one("#explore-search", Input).insert_text_at_cursor(event.letter)

    @on(LineList.Highlighted)
    def _highlighted(self, event: LineList.Highlighted) -> None:
        """Shows the page once the cursor rests, where there is room for it."""
        # While the page has the focus, somebody reads it.
        is_in_use = self._list.has_focus or self.query_one("#explore-search").has_focus
        if event.line_list is not self._list or self.has_class("-narrow") or not is_in_use:
            return
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(PREVIEW_SECONDS, self._preview)

    def _preview(self) -> None:
        step = self._step_of(self._list.cursor)
        if step is not None:
            self._page.open(step)

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        line_list = event.line_list
        source = line_list.source_of(event.row) if isinstance(line_list, TimelineList) else None
        step = self._step_of(event.row)
        if source is not None:
            self._show_source(source)
        elif step is not None:
            self._open(step)

    def _step_of(self, row: int) -> Step | None:
        return self._list.step_of(row) if row < self._list.count else None

    def _open(self, step: Step) -> None:
        """A page to begin from."""
        self._page.open(step)
        self._show_page()

    def _show_page(self) -> None:
        self.remove_class("-source")
        self.add_class("-page")
        self._page.focus_page()

    @on(PagePane.SourceWanted)
    def _source_wanted(self, event: PagePane.SourceWanted) -> None:
        self._show_source(event.source)

    def _show_source(self, source: Source) -> None:
        self.add_class("-source")
        panel = self.query_one(SourcePanel)
        panel.show(source)
        panel.focus_text()

    @on(Tabs.TabActivated)
    def _tab(self, event: Tabs.TabActivated) -> None:
        if event.tab.id and event.tab.id != self._view:
            self._show_view(event.tab.id)

    def action_view(self, view: str) -> None:
        """Shows one of the three lists."""
        self._show_view(view)

    def action_search(self) -> None:
        """Goes to the search field."""
        self.remove_class("-page", "-source")
        self.query_one("#explore-search", Input).focus()

    def action_move(self, by: int) -> None:
        """From the search field: up and down in the list."""
        self._list.action_move(by)

    def action_back(self) -> None:
        """Out of a source, else one step back on the way here, else to the list."""
        if self.has_class("-source"):
            self._close_source()
        elif self._page.back():
            self._show_page()
        else:
            self._to_list()

    def action_leave(self) -> None:
        """Out of a source; out of the page or the search field to the list."""
        field = self.query_one("#explore-search", Input)
        if self.has_class("-source"):
            self._close_source()
            return
        if field.has_focus:
            field.value = ""
        self._to_list()

    def _close_source(self) -> None:
        """Back to where it was opened from."""
        self.remove_class("-source")
        if self._view == "timeline" and not self.has_class("-page"):
            self._list.focus()
        else:
            self._page.focus_page()

    def _to_list(self) -> None:
        self.remove_class("-page", "-source")
        self._list.focus()
