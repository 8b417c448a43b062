"""The screen Today."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import OptionList, Static

from noderag_local.domain.errors import NoderagError, VaultMissing
from noderag_local.domain.passages import EVERYTHING, Source
from noderag_local.interfaces.tui.reader.navigation import NavigationStep, Target, step_to
from noderag_local.interfaces.tui.reader.node_page import Entry, NodePage
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shared.no_notes import NO_NOTES
from noderag_local.interfaces.tui.shared.terminal_text import safe_text
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.interfaces.tui.shell.status_line import StatusLine
from noderag_local.interfaces.tui.today.day_entries import day_entries
from noderag_local.system.printing.day_names import whole_name

if TYPE_CHECKING:
    from noderag_local.vault.today.day_lines import DayPage

PREVIEW_SECONDS = 0.12
"""Seconds that the cursor must rest on a line before its note is read."""
CALM = "No open tasks, and nothing changed lately."


class TodayScreen(Screen[None]):
    """Shows what the day brings, and the note of the line under the cursor."""

    CSS_PATH = "today.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "all", "All", tooltip="List all tasks and changes, or the first ones"),
        Binding("e", "edit", "Edit", tooltip="Open the file in your editor"),
        Binding("backspace,escape", "back", "Back", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._day: DayPage | None = None
        self._shows_all = False
        self._resting: Timer | None = None

    @property
    def _lines(self) -> NodePage:
        return self.query_one("#today-lines", NodePage)

    @property
    def _page(self) -> NoteReader:
        return self.query_one(NoteReader)

    def compose(self) -> ComposeResult:
        """Lays out the title, the lines and a note."""
        yield Static(id="today-title")
        with Horizontal(id="today-body"):
            yield NodePage(id="today-lines")
            yield NoteReader(id="today-page")
        yield StatusLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Shows the day, and updates it when notes change."""
        noderag_of(self).note_changes.subscribe(self, lambda _: self._notes_changed())
        self._lines.focus()
        self._load()

    def on_screen_resume(self) -> None:
        """Shows what changed while another screen was open, even if a new day has begun."""
        self._load()

    def _notes_changed(self) -> None:
        if self.is_current:
            self._load()
            self._page.refresh_page()

    @work(exclusive=True, group="day")
    async def _load(self) -> None:
        session = noderag_of(self).session
        today = session.today()
        self.query_one("#today-title", Static).update(whole_name(today))
        try:
            page = await session.read(lambda vault: vault.atlas.within(EVERYTHING).day(today))
        except VaultMissing:
            self._lines.show([Entry(Content.styled(NO_NOTES, "$text-muted italic"))])
        except NoderagError as error:
            self._lines.show([Entry(safe_text(str(error), "$text-error"))])
        else:
            is_first, self._day = self._day is None, page
            self._show(is_first=is_first)

    def _show(self, *, is_first: bool = False) -> None:
        if self._day is None:
            return
        entries = list(day_entries(self._day, shows_all=self._shows_all))
        if not (self._day.tasks or self._day.other_years or self._day.changed):
            entries.append(Entry(Content.styled(f"\n{CALM}", "$text-muted italic")))
        if is_first:
            self._lines.show(entries)
        else:
            self._lines.show_again(entries)

    @on(OptionList.OptionHighlighted, "#today-lines")
    def _highlighted(self) -> None:
        """Shows the note when the cursor rests, if there is room for it."""
        if self._resting is not None:
            self._resting.stop()
        # While the note has the focus, the user is reading it.
        if not self.has_class("-narrow") and self._lines.has_focus:
            self._resting = self.set_timer(PREVIEW_SECONDS, self._preview)

    def _preview(self) -> None:
        step = _step_of(self._lines.target)
        if step is not None:
            self._page.open(step)

    @on(NodePage.Followed)
    def _followed(self, event: NodePage.Followed) -> None:
        step = _step_of(event.target)
        if step is not None:
            self._page.open(step)
            self.add_class("-page")
            self._page.focus_shown()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers the key `a` only while the lines have the focus."""
        return action != "all" or self._lines.has_focus

    def action_all(self) -> None:
        """Lists all tasks and changes, or only the first ones again."""
        self._shows_all = not self._shows_all
        self._show()

    def action_edit(self) -> None:
        """Opens the file of the line under the cursor in the user's editor."""
        from noderag_local.interfaces.tui.shared.open_file import open_file

        target = self._lines.target
        if isinstance(target, Source):
            open_file(self._lines, target.path, target.first_line, target.place)
        elif isinstance(target, NavigationStep) and self._day is not None:
            path = next(one.path for one in self._day.changed if one.node == target.node)
            open_file(self._lines, path, 1)

    def action_back(self) -> None:
        """Goes back one page while a note is read, and from the first page to the lines."""
        if self._lines.has_focus:
            return
        if not self._page.back():
            self.remove_class("-page")
            self._lines.focus()


def _step_of(target: Target | None) -> NavigationStep | None:
    if isinstance(target, Source):
        return step_to(target)
    return target if isinstance(target, NavigationStep) else None
