"""The screen for exploring the entities, themes and dates of the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Tab, Tabs

from noderag_local.domain.errors import NoderagError
from noderag_local.interfaces.tui.explore.entity_list import EntityList
from noderag_local.interfaces.tui.explore.explore_lists import ExploreLists
from noderag_local.interfaces.tui.explore.timeline_list import TimelineList
from noderag_local.interfaces.tui.jobs.jobs import Job
from noderag_local.interfaces.tui.reader.navigation import NavigationStep, Target, step_to
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shared.line_list import LineList
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.interfaces.tui.shell.status_line import StatusLine

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.explore.same_names_dialog import Decision

PREVIEW_SECONDS = 0.12
"""Seconds that the cursor must rest on a row before its page is read."""


class ExploreScreen(Screen[None]):
    """Shows a list on the left, and the page of its current row on the right."""

    CSS_PATH = "explore.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace", "back", "Back"),
        Binding("slash", "search", "Find"),
        Binding("1", "view('entities')", "Entities"),
        Binding("2", "view('themes')", "Themes"),
        Binding("3", "view('timeline')", "Timeline"),
        Binding("4", "same_names", "Same name?"),
        Binding("5", "merge", "Merge", tooltip="Read this name and another one as one"),
        Binding("escape", "leave", "To the list", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._resting: Timer | None = None
        self._awaited: Target | None = None
        self._decided: list[Decision] = []

    @property
    def _lists(self) -> ExploreLists:
        return self.query_one(ExploreLists)

    @property
    def _page(self) -> NoteReader:
        return self.query_one(NoteReader)

    def compose(self) -> ComposeResult:
        """Lays out the three lists and the page."""
        yield Tabs(Tab("1 Entities", id="entities"), Tab("2 Themes", id="themes"), Tab("3 Timeline", id="timeline"))
        with Horizontal(id="explore-body"):
            yield ExploreLists(id="explore-lists")
            yield NoteReader(id="explore-page")
        yield StatusLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Shows the entities first. The tabs cannot be focused, since the keys 1, 2 and 3 select them."""
        self.query_one(Tabs).can_focus = False
        noderag_of(self).job_changes.subscribe(self, self._job_changed)
        noderag_of(self).note_changes.subscribe(self, lambda _: self._notes_changed())
        self._show_view("entities")
        if self._awaited is not None:
            self.visit(self._awaited)

    def on_screen_resume(self) -> None:
        """Shows what changed while another screen was open."""
        self._lists.load()

    def begin_anew(self) -> None:
        """Focuses the list, where a letter begins a new search."""
        self.remove_class("-page")
        # Not `Widget.focus`, which acts after the keys that were pressed meanwhile.
        self.set_focus(self._lists.seen)

    def visit(self, target: Target) -> None:
        """Opens a page or source for another screen; it may be called before this screen is mounted."""
        if not self.is_mounted:
            self._awaited = target
            return
        if isinstance(target, NavigationStep):
            self._open(target)
        else:
            self._page.follow(target)
            self._show_page()

    def _job_changed(self, job: Job) -> None:
        if job.is_over and not job.kind.brings_model and self.is_current:
            self._lists.load()

    def _notes_changed(self) -> None:
        if self.is_current:
            self._lists.load()

    def _show_view(self, view: str) -> None:
        self.remove_class("-page")
        self.query_one(Tabs).active = view
        self._lists.show(view)

    @on(ExploreLists.VaultChanged)
    def _vault_changed(self) -> None:
        self._page.refresh_page()

    @on(ExploreLists.Failed)
    def _failed(self, event: ExploreLists.Failed) -> None:
        self._page.say(event.why)

    @on(LineList.Typed)
    def _typed(self, event: LineList.Typed) -> None:
        """Begins a new search with the letter; one that comes after the field has the focus belongs to that search."""
        field = self._lists.field
        if self.focused is field:
            field.insert_text_at_cursor(event.letter)
        else:
            self.set_focus(field)
            field.value = event.letter
            field.cursor_position = len(event.letter)

    @on(LineList.Highlighted)
    def _highlighted(self, event: LineList.Highlighted) -> None:
        """Shows the page when the cursor rests, if there is room for it."""
        # While the page has the focus, the user is reading it.
        is_seen = event.line_list is self._lists.seen and not self.has_class("-narrow")
        if not is_seen or not self._lists.has_keys:
            return
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(PREVIEW_SECONDS, self._preview)

    def _preview(self) -> None:
        step = self._step_of(self._lists.seen.cursor)
        if step is not None:
            self._page.open(step)

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        step = self._step_of(event.row)
        if step is not None:
            self._open(step)

    def _step_of(self, row: int) -> NavigationStep | None:
        """Returns the page of a row: of the timeline, the note of its sentence once that is read."""
        seen = self._lists.seen
        if row >= seen.count:
            return None
        source = seen.source_of(row) if isinstance(seen, TimelineList) else None
        return step_to(source) if source is not None else seen.step_of(row)

    def _open(self, step: NavigationStep) -> None:
        """Opens a page as the first one of the history."""
        self._page.open(step)
        self._show_page()

    def _show_page(self) -> None:
        self.add_class("-page")
        self._page.focus_shown()

    @on(Tabs.TabActivated)
    def _tab(self, event: Tabs.TabActivated) -> None:
        if event.tab.id and event.tab.id != self._lists.view:
            self._show_view(event.tab.id)

    def action_view(self, view: str) -> None:
        """Shows one of the three lists."""
        self._show_view(view)

    def action_same_names(self) -> None:
        """Opens the dialog of names that may mean the same."""
        from noderag_local.interfaces.tui.explore.same_names_dialog import SameNamesDialog

        self.app.push_screen(SameNamesDialog(self._decided, self._notes_changed))

    @work(group="naming", exclusive=True)
    async def action_merge(self) -> None:
        """Asks for another name of the entity under the cursor, and reads the two as one."""
        from noderag_local.interfaces.tui.explore.merge_dialog import MergeDialog

        seen = self._lists.seen
        if not isinstance(seen, EntityList) or seen.step is None or seen.catalogue is None:
            self.notify("Merging is about a name: 1 lists them.", severity="warning")
            return
        step = seen.step
        other = await self.app.push_screen_wait(MergeDialog(step.name, seen.catalogue.names))
        if other is not None:
            self._merge(step.name, other)

    @work(group="merge")
    async def _merge(self, name: str, other: str) -> None:
        """Reads two names as one, after any running job."""
        from noderag_local.interfaces.tui.explore.same_names_dialog import Decision

        try:
            is_merged = await noderag_of(self).session.write(lambda vault: vault.names.merge(name, other))
        except NoderagError as error:
            self.notify(str(error), severity="warning")
            return
        self._decided.append(Decision(name, other))
        if is_merged:
            self.notify(f"{name} and {other} are now read as one. To undo it, press 4, then u.")
            self._lists.load()
        else:
            self.notify(f"{name} and {other} stay apart: you hold apart two of their names.", severity="warning")

    def action_search(self) -> None:
        """Focuses the search field and selects its text, so that typing replaces it."""
        self.remove_class("-page")
        self._lists.field.focus()
        self._lists.field.select_all()

    def action_back(self) -> None:
        """Goes back one page, or focuses the list."""
        if not self._page.back():
            self._to_list()

    def action_leave(self) -> None:
        """Goes back one page while one is read, or focuses the list."""
        field = self._lists.field
        if not self._lists.has_keys:
            self.action_back()
            return
        if field.has_focus:
            field.value = ""
        self._to_list()

    def _to_list(self) -> None:
        self.remove_class("-page")
        self._lists.seen.focus()
