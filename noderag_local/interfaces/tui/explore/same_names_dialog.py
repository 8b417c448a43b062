"""The dialog of name pairs that may mean the same, with sentences about each name side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from noderag_local.domain.errors import NoderagError
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.interfaces.tui.shared.workers import start_worker
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.cited_place import named

if TYPE_CHECKING:
    from noderag_local.domain.passages import Source
    from noderag_local.vault.browsing.same_names import OfferedName, OfferedPair
    from noderag_local.vault.names import VaultNames


LONGEST = 400
"""Maximum characters shown of a sentence."""
LOOKING = "Comparing the names …"
NONE_LEFT = "No two names are left to decide on."
NOTHING_TO_UNDO = "Nothing was decided since the start. For older decisions: noderag names undo NAME NAME"


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about two names since the start of the program, which can be undone."""

    first: str
    second: str
    pair: OfferedPair | None = None
    """The offered pair, which is offered again when the decision is undone; None for names that were merged by hand."""

    def __str__(self) -> str:
        return f"{self.first} | {self.second}"


class SameNamesDialog(Dialog[None]):
    """Asks whether the names of a pair mean the same."""

    DEFAULT_CSS = """
    SameNamesDialog {
        DialogBox { width: 100%; max-width: 150; height: 100%; max-height: 46; padding: 0 1; }
        #same-told { height: 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        OptionList {
            height: 1fr;
            border: none;
            padding: 0;
            background: $surface;
            scrollbar-size-vertical: 1;
            &:focus { border: none; background-tint: transparent; }
        }
        Horizontal { height: 1fr; border-top: solid $border-blurred; }
        VerticalScroll { width: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
        #same-second { border-left: solid $border-blurred; }
        VerticalScroll Label { width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "decide(True)", "The same"),
        Binding("n", "decide(False)", "Not the same"),
        Binding("u", "undo", "Undo"),
        Binding("escape,q", "close", "Close"),
    ]

    def __init__(self, decided: list[Decision], stored: Callable[[], None]) -> None:
        """Creates the dialog.

        Args:
            decided: decisions since the start of the program, the last one at the end; the dialog adds and removes some.
            stored: called after each decision that was stored, also if the dialog is closed by then.
        """
        super().__init__()
        self._stored = stored
        self._pairs: list[OfferedPair] = []
        self._decided = decided

    def compose(self) -> ComposeResult:
        """Lays out the last decision, the pairs, and the sentences about each name."""
        with DialogBox() as frame:
            frame.border_title = "Same name?"
            yield Label(LOOKING, id="same-told")
            yield OptionList(markup=False)
            with Horizontal():
                with VerticalScroll(id="same-first", can_focus=False):
                    yield Label()
                with VerticalScroll(id="same-second", can_focus=False):
                    yield Label()
            yield KeyLine()

    def on_mount(self) -> None:
        """Reads the pairs from the vault."""
        self._load()

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        try:
            found = await noderag_of(self).session.read_graph(lambda vault: vault.names.offered())
        except NoderagError as error:
            self._tell(safe_text(str(error), "$text-error"))
            return
        self._pairs = list(found)
        self._list.set_options(Option(_line(pair)) for pair in found)
        self._tell(Content(f"{counted(len(found), 'pairs')} that the rules are not sure of" if found else NONE_LEFT))
        self._list.focus()
        self._list.highlighted = 0 if found else None

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_index < len(self._pairs):
            self._show(self._pairs[event.option_index])

    @work(exclusive=True, group="sentences")
    async def _show(self, pair: OfferedPair) -> None:
        try:
            first, second = await noderag_of(self).session.read(
                lambda vault: (vault.names.sentences(pair.first.node), vault.names.sentences(pair.second.node))
            )
        except NoderagError as error:
            self._tell(safe_text(str(error), "$text-error"))
            return
        for side, name, sentences in (("#same-first", pair.first, first), ("#same-second", pair.second, second)):
            self.query_one(f"{side} Label", Label).update(_told(name, sentences))
            self.query_one(side, VerticalScroll).scroll_home(animate=False)

    def action_decide(self, same: bool) -> None:
        """Decides on the pair under the cursor."""
        place = self._list.highlighted
        if place is None or place >= len(self._pairs):
            return
        pair = self._pairs.pop(place)
        self._list.remove_option_at_index(place)
        decision = Decision(pair.first.name, pair.second.name, pair)
        self._decided.append(decision)
        self._write(lambda names: _merged(names, decision) if same else _kept_apart(names, decision))

    def action_undo(self) -> None:
        """Takes the last decision back, or says that there is none."""
        if not self._decided:
            self._tell(Content(NOTHING_TO_UNDO))
            return
        decision = self._decided.pop()
        if decision.pair is not None:
            self._pairs.append(decision.pair)
            self._list.add_option(Option(_line(decision.pair)))
            self._list.highlighted = len(self._pairs) - 1
        self._write(lambda names: _opened_again(names, decision))

    def _write(self, do: Callable[[VaultNames], str]) -> None:
        """Stores a decision after any running job; decisions are stored in the order of the keys pressed."""
        # Not in a worker of the dialog, which would be cancelled, with all decisions that wait, when the dialog is closed.
        start_worker(noderag_of(self), partial(self._store, do), "names")

    async def _store(self, do: Callable[[VaultNames], str]) -> None:
        app = noderag_of(self)
        try:
            told = await app.session.write(lambda vault: do(vault.names))
        except NoderagError as error:
            if self.is_current:
                self._tell(safe_text(str(error), "$text-error"))
            else:
                app.notify(str(error), severity="warning")
            return
        self._stored()
        if self.is_current:
            self._tell(on_one_line(told))

    def _tell(self, text: Content) -> None:
        self.query_one("#same-told", Label).update(text)

    def action_close(self) -> None:
        """Closes the dialog."""
        self.dismiss()


def _merged(names: VaultNames, decision: Decision) -> str:
    if names.merge(decision.first, decision.second):
        return f"One now: {decision}. u takes it back."
    return f"Still apart, as something between them is held apart: {decision}. u takes it back."


def _kept_apart(names: VaultNames, decision: Decision) -> str:
    names.keep_apart(decision.first, decision.second)
    return f"Apart: {decision}. u takes it back."


def _opened_again(names: VaultNames, decision: Decision) -> str:
    names.undo(decision.first, decision.second)
    return f"Open again: {decision}."


def _line(pair: OfferedPair) -> Content:
    why = f"{pair.rule}, closeness {pair.closeness:.2f}"
    beside = f"; both beside {', '.join(pair.shared)}" if pair.shared else ""
    return (
        on_one_line(f"{pair.first.name} | {pair.second.name}", "bold")
        + Content("  ")
        + on_one_line(f"{why}{beside}", "$text-muted")
    )


def _told(name: OfferedName, sentences: Sequence[Source]) -> Content:
    """Returns a name and the first sentences that mention it."""
    figure = f"  named in {counted(name.sentences, 'sentences')}"
    parts = [on_one_line(name.name, "bold") + Content.styled(figure, "$text-muted")]
    for source in sentences:
        shown = source.text if len(source.text) <= LONGEST else source.text[:LONGEST] + "…"
        where = named(PurePath(source.path).name, source.first_line, source.place)
        parts.append(Content("· ") + on_one_line(shown) + Content("  ") + on_one_line(where, "$text-muted"))
    return Content("\n").join(parts)
