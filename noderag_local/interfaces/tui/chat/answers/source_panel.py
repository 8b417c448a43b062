"""The panel that shows a cited passage with the text around it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.chat.answers.source_lines import place
from noderag_local.interfaces.tui.shared.marked_words import marked
from noderag_local.interfaces.tui.shared.open_file import open_file
from noderag_local.interfaces.tui.shared.terminal_text import from_home, on_one_line, safe_text
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from noderag_local.ingest.chunks.surroundings import Surroundings

NOTHING = "Open a source of an answer to read it here."
AS_READ = "This is the text as it was read from the file. e opens the file itself."


class SourcePanel(Vertical):
    """Shows one source; the key `e` opens its file, `y` copies the passage."""

    DEFAULT_CSS = """
    SourcePanel {
        width: 1fr;
        height: 1fr;
        border-top: solid $border-blurred;
        border-title-color: $text-muted;
        &:focus-within { border-top: solid $primary; }
        .path { height: auto; padding: 0 1; color: $text-muted; }
        .remark { height: auto; padding: 0 1; color: $text-warning; text-style: italic; }
        .remark.-empty { display: none; }
        VerticalScroll { height: 1fr; padding: 1 0 0 0; scrollbar-size-vertical: 1; }
        .around { height: auto; padding: 0 1 0 2; color: $text-muted; }
        .cited { height: auto; padding: 0 1 0 1; border-left: thick $primary; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "edit", "Edit", tooltip="Open the file"),
        Binding("y", "copy", "Copy", tooltip="Copy the passage"),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.source: Source | None = None
        """The shown source; None before the first one."""
        self._words: Sequence[str] = ()
        self._parts: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """Lays out the source's place, a note, and the passage with the text before and after it."""
        yield Static(NOTHING, classes="path")
        yield Static(classes="remark -empty")
        with VerticalScroll():
            yield Static(classes="around before")
            yield Static(classes="cited")
            yield Static(classes="around after")

    def on_mount(self) -> None:
        """Sets the panel's title."""
        self.border_title = "Source"

    def show(self, source: Source, words: Sequence[str] = ()) -> None:
        """Shows a source, with some words marked, and reads its file in the background."""
        self.source, self._words = source, words
        self.query_one(".path", Static).update(place(source) + Content("\n") + on_one_line(from_home(source.path)))
        self._parts = ()
        self._load(source)

    def look_again(self) -> None:
        """Reads the shown source again after files have changed; does not scroll if nothing has changed."""
        if self.source is not None:
            self._load(self.source)

    @work(exclusive=True, group="source")
    async def _load(self, source: Source) -> None:
        try:
            found, remark = await asyncio.to_thread(_read, source), ""
            if found is None:
                found = await noderag_of(self).session.read(lambda vault: vault.atlas.text_around(source))
                remark = AS_READ
            self._show_parts(found.before, found.cited, found.after, remark)
        except NoderagError as error:
            self._show_parts("", source.text, "", str(error))

    def _show_parts(self, before: str, cited: str, after: str, remark: str) -> None:
        parts = (before, cited, after, remark)
        if parts == self._parts:
            return
        self._parts = parts
        before, line_start = _cut_after_last_line(before)
        line_end, _, after = after.partition("\n")
        line = safe_text(line_start) + safe_text(cited, "bold") + safe_text(line_end)
        self.query_one(".before", Static).update(marked(safe_text(before), self._words))
        self.query_one(".cited", Static).update(marked(line, self._words))
        self.query_one(".after", Static).update(marked(safe_text(after), self._words))
        told = self.query_one(".remark", Static)
        told.update(safe_text(remark))
        told.set_class(not remark, "-empty")
        self.call_after_refresh(self._scroll_to_passage)

    def _scroll_to_passage(self) -> None:
        """Scrolls until the passage stands a third of the way down."""
        scroll = self.query_one(VerticalScroll)
        top = self.query_one(".cited").virtual_region.y
        scroll.scroll_to(y=max(0, top - scroll.size.height // 3), animate=False)

    def action_edit(self) -> None:
        """Opens the file in the user's editor at the passage, or asks whether to open it with the desktop's program."""
        if self.source is not None and open_file(self, self.source.path, self.source.first_line, self.source.place):
            self.show(self.source)

    def action_copy(self) -> None:
        """Copies the passage as it was indexed."""
        if self.source is not None:
            self.app.copy_to_clipboard(printable(self.source.text))
            self.notify("Copied the passage.", markup=False)

    def focus_text(self) -> None:
        """Focuses the text, so that the arrow keys scroll it."""
        self.query_one(VerticalScroll).focus()


def _read(source: Source) -> Surroundings | None:
    """Returns the passage with the text around it; None if it cannot be found in the file."""
    # Imported in this thread, since the readers of all formats come with it.
    from noderag_local.ingest.chunks.surroundings import is_cut_from_file, surroundings

    return surroundings(source) if is_cut_from_file(source) else None


def _cut_after_last_line(text: str) -> tuple[str, str]:
    """Returns the whole lines, and the beginning of the line after them."""
    lines, _, start = text.rpartition("\n")
    return lines, start
