"""The page about a node: headings, texts, and lines that lead to other pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from noderag_local.interfaces.tui.reader.navigation import Target


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a page, which may have several lines."""

    text: Content
    target: Target | None = None
    """What enter opens; None for headings and texts, which the cursor skips."""
    end_byte: int = 0
    """End in its file of the text that is shown, where `target` is the first sentence of it; else 0."""


class NodePage(OptionList):
    """Shows the lines of a page; the arrow keys move, enter follows a line."""

    DEFAULT_CSS = """
    NodePage {
        height: 1fr;
        border: none;
        padding: 0 1;
        background: $background;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background-tint: transparent; }
        & > .option-list--option-disabled { color: $foreground; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "Open", tooltip="Follow the line")]

    class Followed(Message):
        """Posted when a person follows a line."""

        def __init__(self, target: Target) -> None:
            self.target = target
            super().__init__()

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes, markup=False)
        self._targets: Sequence[Target | None] = ()

    @property
    def target(self) -> Target | None:
        """Returns what the line under the cursor opens; None if nothing."""
        place = self.highlighted
        return self._targets[place] if place is not None and place < len(self._targets) else None

    def show(self, entries: Iterable[Entry], cursor: int | None = None) -> None:
        """Shows another page.

        Args:
            entries: lines of the page.
            cursor: index of the entry for the cursor when the user comes back; None for the first that opens something.
        """
        shown = tuple(entries)
        self._targets = tuple(entry.target for entry in shown)
        self.set_options(Option(entry.text, disabled=entry.target is None) for entry in shown)
        leading = (place for place, target in enumerate(self._targets) if target is not None)
        self.highlighted = cursor if cursor is not None else next(leading, None)
        if cursor is None:
            self.scroll_home(animate=False)

    def show_again(self, entries: Iterable[Entry]) -> None:
        """Shows the same page after a change; scroll position and cursor stay if their line still exists."""
        at, top = self.highlighted, self.scroll_offset.y
        line = "" if at is None else str(self.get_option_at_index(at).prompt)
        shown = tuple(entries)
        if at is not None:
            alike = [place for place, entry in enumerate(shown) if entry.target and str(entry.text) == line]
            at = min(alike, key=partial(_distance, at), default=min(at, len(shown) - 1))
        self.show(shown, at)
        # Restored after the cursor has scrolled the page, since the user may have scrolled away from it.
        self.call_after_refresh(self.scroll_to, y=top, animate=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Follows the line."""
        event.stop()
        target = self._targets[event.option_index] if event.option_index < len(self._targets) else None
        if target is not None:
            self.post_message(self.Followed(target))


def _distance(first: int, second: int) -> int:
    return abs(first - second)


def heading(text: str, figure: str = "") -> Entry:
    """Returns a heading.

    Args:
        text: title of a part of the page.
        figure: number of lines in this part, shown dimmed.
    """
    title = Content.styled(f"\n{text}", "bold $text-primary")
    return Entry(title + Content.styled(f"  {figure}", "$text-muted") if figure else title)


def amount_shown(shown: int, total: int) -> str:
    """Returns "20 of 340" for the figure of a heading; "" if all lines are shown."""
    return f"{shown:,} of {total:,}" if shown < total else ""
