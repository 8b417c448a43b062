"""The dialog that limits questions to a part of the notes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.passages import EVERYTHING, Scope
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.option_lists import UnfocusedList
from noderag_local.interfaces.tui.shared.scope_offers import Offer, day_offers, folder_offers
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.retrieval.scope_words import scope_of
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.retrieval.scope import ScopeChoices

FIELDS = ("folder", "tag", "since", "until")
HINTS = {
    "folder": "all folders",
    "tag": "all tags",
    "since": "2024-03-05, March 2024 or 2024",
    "until": "the day itself is in it",
}
MOST_OFFERED = 200
"""Maximum number of choices under a field; typing narrows them down."""


class ScopeDialog(Dialog[Scope | None]):
    """Asks for folder, tag and days, and counts the matching documents; returns None to keep the scope."""

    DEFAULT_CSS = """
    ScopeDialog {
        DialogBox { max-height: 96%; padding: 1 2 0 2; }
        #title { margin-bottom: 1; }
        Horizontal { height: 1; }
        Horizontal Label { width: 9; }
        Horizontal Input { width: 1fr; }
        UnfocusedList { height: 6; margin: 1 0 0 9; }
        #count { margin-top: 1; }
        .note { color: $text-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Search here", priority=True),
        Binding("down", "choose(1)", "Choices", priority=True),
        Binding("up", "choose(-1)", show=False, priority=True),
        Binding("tab", "next_field", "Next field", priority=True),
        Binding("shift+tab", "next_field(-1)", show=False, priority=True),
        Binding("ctrl+l", "everything", "All notes", priority=True),
        Binding("escape", "dismiss(None)", "Back"),
    ]

    def __init__(self, session: Session, scope: Scope = EVERYTHING) -> None:
        """Creates the dialog.

        Args:
            session: counts documents in a scope.
            scope: current scope.
        """
        super().__init__()
        self._session = session
        self._scope = scope
        self._choices: ScopeChoices | None = None
        self._offered: list[Offer] = []

    def compose(self) -> ComposeResult:
        """Lays out the fields, the choices for the focused one, and the number of documents."""
        with DialogBox():
            yield Label("Search only in", id="title")
            for name, value in zip(FIELDS, _values(self._scope), strict=True):
                with Horizontal():
                    yield Label(name.capitalize())
                    yield Input(safe_text(value).plain, placeholder=HINTS[name], id=name, compact=True)
            yield UnfocusedList()
            yield Label("", id="count")
            yield Label(
                "A note's day is the one in its file name, else the one it tells, else its last change.", classes="note"
            )
            yield KeyLine()

    def on_mount(self) -> None:
        """Focuses the first field."""
        self.query_one("#folder").focus()
        self._read_choices()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._offer()
        self._count()

    @on(events.DescendantFocus)
    def _entered(self) -> None:
        self._offer()

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        self._fill(event.option_index)

    def action_choose(self, rows: int) -> None:
        """Moves the cursor along the choices."""
        self.query_one(UnfocusedList).move_highlight(rows)

    def action_next_field(self, step: int = 1) -> None:
        """Accepts the choice at the cursor, if the user moved there, and goes to the next field."""
        place = self.query_one(UnfocusedList).highlighted
        if place is not None:
            self._fill(place)
        names = [field.id for field in self.query(Input)]
        at = names.index(self._field().id)
        self.query_one(f"#{names[(at + step) % len(names)]}").focus()

    def action_take(self) -> None:
        """Accepts the choice at the cursor, if the user moved there; otherwise returns the scope and closes."""
        place = self.query_one(UnfocusedList).highlighted
        if place is not None:
            self._fill(place)
            return
        self._take()

    def action_everything(self) -> None:
        """Returns the empty scope and closes."""
        self.dismiss(EVERYTHING)

    @work(exclusive=True, group="take")
    async def _take(self) -> None:
        """Returns the scope and closes, if it contains any document.

        If what was typed names no document, it is a part of a name; the choice is taken if only one is left.
        """
        scope = await self._counted()
        if scope is None and len(self._offered) == 1 and self._field().value.strip():
            self._fill(0)
            scope = await self._counted()
        if scope is not None:
            self.dismiss(scope)

    @work(exclusive=True, group="count")
    async def _count(self) -> None:
        await self._counted()

    async def _counted(self) -> Scope | None:
        """Shows how many documents match the fields; returns None if there are none or a field is invalid."""
        line = self.query_one("#count", Label)
        try:
            scope = scope_of(*(field.value for field in self.query(Input)))
            number = await self._session.read(lambda vault: vault.atlas.count_in(scope))
        except NoderagError as error:
            self._tell_problem(str(error))
            return None
        if not number:
            self._tell_problem("No document: choose a wider scope.")
            return None
        of_all = f" of {self._choices.documents:,}" if self._choices else ""
        line.update(f"{number:,}{of_all} document{'s' if number > 1 else ''}")
        return scope

    def _tell_problem(self, problem: str) -> None:
        """Shows a problem, or what to do while the words of the focused field are a part of something that is offered."""
        is_begun = self._offered and self._field().value.strip()
        told = on_one_line(problem, "$text-error")
        if is_begun:
            told = Content("Enter takes the choice." if len(self._offered) == 1 else "Down goes to the choices.")
        self.query_one("#count", Label).update(told)

    @work(exclusive=True, group="choices")
    async def _read_choices(self) -> None:
        try:
            self._choices = await self._session.read(lambda vault: vault.atlas.scope_choices())
        except NoderagError as error:
            self.query_one("#count", Label).update(on_one_line(str(error), "$text-error"))
            return
        self._offer()
        self._count()

    def _field(self) -> Input:
        focused = self.focused
        return focused if isinstance(focused, Input) else self.query_one("#folder", Input)

    def _offer(self) -> None:
        """Shows the choices of the focused field that contain its words."""
        field = self._field()
        typed = field.value.strip().lstrip("#").casefold()
        all_of = self._all_choices(field.id or "")
        # A name with characters that no field can show cannot be entered.
        found = [
            one
            for one in all_of
            if typed in one.shown.casefold() and one.value != field.value and printable(one.value) == one.value
        ]
        self._offered = found[:MOST_OFFERED]
        options = self.query_one(UnfocusedList)
        options.clear_options()
        options.add_options([Option(on_one_line(one.shown)) for one in self._offered])
        options.highlighted = None

    def _all_choices(self, name: str) -> Sequence[Offer]:
        if name in ("since", "until"):
            return day_offers(date.today(), is_first=name == "since")
        if self._choices is None:
            return ()
        return (
            folder_offers(self._choices.folders)
            if name == "folder"
            else [Offer(one, one) for one in self._choices.tags]
        )

    def _fill(self, place: int) -> None:
        field = self._field()
        field.value = self._offered[place].value
        field.cursor_position = len(field.value)


def _values(scope: Scope) -> tuple[str, ...]:
    days = (str(day) if day else "" for day in (scope.since, scope.until))
    return scope.folder, scope.tag, *days
