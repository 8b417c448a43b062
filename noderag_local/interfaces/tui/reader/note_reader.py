"""The reader: a note, or the page of an entity or a theme, with the way that led to it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import unquote

from textual import on, work
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Label, Static

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.reader.navigation import NavigationHistory, NavigationStep, Place, Target, step_to
from noderag_local.interfaces.tui.reader.node_page import Entry, NodePage
from noderag_local.interfaces.tui.reader.note_lines import NoteLines
from noderag_local.interfaces.tui.reader.note_margin import NoteMargin, margin_entries
from noderag_local.interfaces.tui.reader.note_view import NoteView, ShownPassage
from noderag_local.interfaces.tui.shared.open_file import open_file
from noderag_local.interfaces.tui.shared.terminal_text import from_home, on_one_line, safe_text
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.system.printing.cited_place import where
from noderag_local.system.printing.plain_text import printable

# The reader is part of the first screen. Modules that read a page import the readers of all formats and numpy, so they are
# imported when the first page is read.
if TYPE_CHECKING:
    from noderag_local.interfaces.tui.reader.page_reading import DocumentPlace, FoundPage
    from noderag_local.vault.browsing.note_page import NotePage

SHOWN_CRUMBS = 4
BESIDE_CELLS = 84
"""Width from which the margin stands beside the text; below it covers the text when it is asked for."""
AS_READ = "This is the text as it was read from the file. e opens the file itself."
OUTSIDE = "leads out of your notes, and noderag opens no page of the web. y copies the address."


class NoteReader(Vertical):
    """Shows one page, keeps the history, and opens files."""

    DEFAULT_CSS = """
    NoteReader {
        .crumbs {
            width: 1fr;
            height: 1;
            padding: 0 1;
            background: $surface;
            color: $text-muted;
            text-wrap: nowrap;
            text-overflow: ellipsis;
        }
        .remark { width: 1fr; height: auto; max-height: 6; padding: 0 1; color: $text-warning; text-style: italic; }
        .remark.-empty { display: none; }
        .note { display: none; height: 1fr; }
        NoteMargin { width: 30; height: 1fr; border-left: solid $border-blurred; display: none; }
        &.-note .note { display: block; }
        &.-note .page { display: none; }
        &.-beside NoteMargin { display: block; }
        &.-covered NoteMargin { display: block; width: 1fr; border: none; }
        &.-covered NoteView { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace", "back", "Back", tooltip="Page before"),
        Binding("alt+left", "back", "Back", show=False),
        Binding("f,alt+right", "forward", "Forward", tooltip="Forward again, after a way back", show=False),
        Binding("o", "margin", "Outline, links", tooltip="Outline, links and names of this note"),
        Binding("e", "edit", "Edit", tooltip="Open the file in your editor"),
        Binding("y", "copy", "Copy", tooltip="Copy the passage, the chosen link or the note"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._history = NavigationHistory()
        self._words: tuple[str, ...] = ()
        """Words that are marked on the first page of the history."""
        self._places: dict[int, DocumentPlace] = {}
        """Path and record number of each shown document, by node id."""
        self.note: NotePage | None = None
        """Document that is shown; None while there is another page."""
        self._link = ""
        """Returns the name that the chosen link points to."""

    def compose(self) -> ComposeResult:
        """Lays out the way here, a remark, the page of an entity, and a note with its margin."""
        yield Label("", classes="crumbs")
        yield Static(classes="remark -empty")
        yield NodePage(classes="page")
        with Horizontal(classes="note"):
            yield NoteView()
            yield NoteMargin()

    def on_resize(self) -> None:
        """Shows the margin beside the text if there is room."""
        self.set_class(self.size.width >= BESIDE_CELLS, "-beside")
        if self.has_class("-beside"):
            self.remove_class("-covered")

    @property
    def view(self) -> NoteView:
        """The text of a note."""
        return self.query_one(NoteView)

    @property
    def _page(self) -> NodePage:
        return self.query_one(".page", NodePage)

    @property
    def _margin(self) -> NoteMargin:
        return self.query_one(NoteMargin)

    @property
    def passage(self) -> Source | None:
        """Passage that the open note was opened at; None if it was opened at its beginning."""
        last = self._history.last
        return last.passage if last is not None else None

    @property
    def place(self) -> Place | None:
        """Place in the notes that is being read, or that the line under the cursor leads to; None if there is none."""
        if self.note is None:
            target = self._page.target
            return Place(target.path, target.first_line, target.place) if isinstance(target, Source) else None
        passage = self.passage
        if not self.note.text.is_file:
            return Place(self.note.path, passage.first_line if passage else 0, passage.place if passage else "")
        return Place(self.note.path, self.view.line_in_sight + 1)

    def open(self, step: NavigationStep, words: tuple[str, ...] = (), *, takes_focus: bool = False) -> None:
        """Opens a page as the first one of a new history, unless it already is.

        Args:
            step: page to open.
            words: words to mark on it.
            takes_focus: False leaves the focus where it is.
        """
        if (step, words) != (self._history.first, self._words) or self._history.last != self._history.first:
            self._history, self._words = NavigationHistory(step), words
            self._read()
        if takes_focus:
            self.focus_shown()

    def show_lines(self, entries: Sequence[Entry]) -> None:
        """Shows lines that are no page of the vault, with an empty history."""
        # A page that is still being read would be shown over these lines.
        self.workers.cancel_group(self, "page")
        self._history, self._words = NavigationHistory(), ()
        self._show_entries(entries)
        self._tell_crumbs()

    def say(self, text: str) -> None:
        """Shows a message that is no page, with an empty history."""
        self.show_lines([Entry(safe_text(text, "$text-error"))])

    def follow(self, target: Target) -> None:
        """Opens another page, after which `back` returns here."""
        if isinstance(target, NavigationStep):
            self._go(self._history.onward(target, self._left_at))
        elif isinstance(target, Source):
            self.follow(step_to(target))
        elif isinstance(target, Place):
            self._look_up(target)
        else:
            self.remove_class("-covered")
            self.view.jump(target.line)
            self.view.focus()

    def back(self) -> bool:
        """Closes the margin over the text, or goes back one page; returns False if neither is possible."""
        if self.has_class("-covered"):
            self.remove_class("-covered")
            self.view.focus()
            return True
        before = self._history.back(self._left_at)
        if before is not None:
            self._go(before)
        return before is not None

    def refresh_page(self) -> None:
        """Reads the page again after the vault has changed; keeps the scroll position."""
        self._read(is_same=True)

    def focus_shown(self) -> None:
        """Focuses what is shown: the text of a note, or the lines of another page."""
        (self.view if self.has_class("-note") else self._page).focus()

    @property
    def _left_at(self) -> int | None:
        return self.view.top_line if self.note is not None else self._page.highlighted

    def _go(self, history: NavigationHistory) -> None:
        self._history = history
        self._read()

    @work(exclusive=True, group="page")
    async def _read(self, *, is_same: bool = False) -> None:
        history = self._history
        step = history.last
        if step is None:
            return
        from noderag_local.interfaces.tui.reader.page_reading import DocumentPlace, read_page

        words = self._words if len(history.names) == 1 else ()
        place = self._places.get(step.node)
        try:
            found = await noderag_of(self).session.read(lambda vault: read_page(vault, step, place, words))
        except NoderagError as error:
            self._show_entries([Entry(safe_text(str(error), "$text-error"))])
            return
        self._history = history.with_last(found.step)
        if found.note is None:
            self._show_entries(found.entries, history.place, is_same=is_same)
        else:
            self._places[found.note.node] = DocumentPlace(found.note.path, found.note.record)
            lines = await asyncio.to_thread(NoteLines, found.note.text)
            self._show_note(found, found.note, lines, words, history.place, is_same=is_same)
        self._tell_crumbs()

    def _show_entries(self, entries: Sequence[Entry], place: int | None = None, *, is_same: bool = False) -> None:
        had_focus = self._has_focus
        self.note = None
        self.remove_class("-note", "-covered")
        self._remark("")
        if is_same:
            self._page.show_again(entries)
        else:
            self._page.show(entries, place)
        if had_focus:
            self._page.focus()

    def _show_note(
        self,
        found: FoundPage,
        note: NotePage,
        lines: NoteLines,
        words: Sequence[str],
        place: int | None,
        *,
        is_same: bool,
    ) -> None:
        from noderag_local.interfaces.tui.reader.page_reading import passage_of

        had_focus = self._has_focus
        is_unchanged = is_same and self.note == note
        self.note, self._link = note, ""
        self.add_class("-note")
        if is_unchanged:
            return
        where_ = passage_of(found.step, note)
        passage = ShownPassage(where_[0], where_[1], where_[2].text) if where_ else None
        self._remark(_remark(note, found.step.passage, is_found=passage is not None))
        if is_same:
            self.view.show_again(lines, passage)
        else:
            section = lines.heading_called(unquote(found.step.section)) if found.step.section else None
            self.view.show(lines, words, passage, place if place is not None else section)
        self._margin.show(margin_entries(note, lines.outline()))
        if (had_focus and not self._margin.has_focus) or (had_focus and not is_same):
            self.remove_class("-covered")
            self.view.focus()

    @property
    def _has_focus(self) -> bool:
        return self.view.has_focus or self._page.has_focus or self._margin.has_focus

    def _remark(self, text: str) -> None:
        remark = self.query_one(".remark", Static)
        remark.update(safe_text(text))
        remark.set_class(not text, "-empty")

    def _tell_crumbs(self) -> None:
        self.query_one(".crumbs", Label).update(_crumbs(self._history.names, self.note, self.passage, self._link))

    @on(NodePage.Followed)
    def _followed(self, event: NodePage.Followed) -> None:
        event.stop()
        self.follow(event.target)

    @on(NoteView.LinkChosen)
    def _link_chosen(self, event: NoteView.LinkChosen) -> None:
        event.stop()
        self._link = event.target
        self._tell_crumbs()

    @on(NoteView.LinkFollowed)
    def _link_followed(self, event: NoteView.LinkFollowed) -> None:
        event.stop()
        note, target = self.note, event.target
        if note is None:
            return
        if _is_outside(target):
            self._warn(f"{target} {OUTSIDE}")
        else:
            self._follow_link(note, unquote(target))

    @work(exclusive=True, group="place")
    async def _follow_link(self, note: NotePage, target: str) -> None:
        from noderag_local.interfaces.tui.reader.page_reading import link_step

        if target.startswith("#"):
            self.follow(NavigationStep(NodeType.DOCUMENT, note.node, note.name, section=target[1:]))
            return
        try:
            step = await noderag_of(self).session.read(lambda vault: link_step(vault, target, note.path, note.name))
        except NoderagError as error:
            self._warn(str(error))
            return
        self.follow(step)

    @work(exclusive=True, group="place")
    async def _look_up(self, place: Place) -> None:
        try:
            found = await noderag_of(self).session.read(
                lambda vault: vault.atlas.sources_at(place.path, place.line, place.place)
            )
        except NoderagError as error:
            self._warn(str(error))
            return
        if found:
            self.follow(found[0])
        else:
            self._warn("This passage is not in the vault any more.")

    def action_back(self) -> None:
        """Goes back one page; on the first one, the screen decides."""
        if not self.back():
            raise SkipAction

    def action_forward(self) -> None:
        """Goes forward again after a way back."""
        ahead = self._history.forward(self._left_at)
        if ahead is not None:
            self._go(ahead)

    def action_margin(self) -> None:
        """Goes to the margin, or back from it to the text."""
        if self.note is None:
            return
        if self._margin.has_focus:
            self.remove_class("-covered")
            self.view.focus()
            return
        self.set_class(not self.has_class("-beside"), "-covered")
        self._margin.focus()

    def action_edit(self) -> None:
        """Opens the file in the user's editor at the line, or asks whether to open it with the desktop's program."""
        place = self.place
        if place is not None and open_file(self, place.path, place.line, place.place):
            self.refresh_page()

    def action_copy(self) -> None:
        """Copies the chosen link's address, the passage, or the whole note."""
        passage = self.passage
        if self._link:
            text, what = self._link, "the link"
        elif passage is not None:
            text, what = passage.text, "the passage"
        elif self.note is not None:
            text, what = "\n".join(self.note.text.lines), "the note"
        else:
            raise SkipAction
        self.app.copy_to_clipboard(printable(text))
        self.notify(f"Copied {what}.", markup=False)

    def _warn(self, text: str) -> None:
        self.notify(on_one_line(text).plain, severity="warning", markup=False)


def _is_outside(target: str) -> bool:
    scheme, colon, _ = target.partition(":")
    return bool(colon) and scheme.replace("+", "").isalnum() and " " not in scheme and len(scheme) > 1


def _remark(note: NotePage, passage: Source | None, *, is_found: bool) -> str:
    if note.text.remark:
        return note.text.remark
    if passage is not None and not is_found:
        changed = f"{note.path} has changed since it was indexed. Index again to search what it says now."
        return f"{changed} The passage was: {' '.join(passage.text.split())}"
    return "" if note.text.is_file else AS_READ


def _crumbs(names: tuple[str, ...], note: NotePage | None, passage: Source | None, link: str) -> Content:
    """Returns the way here, with the place that is open and the link that enter follows; empty without a page."""
    if not names:
        return Content()
    shown = names[-SHOWN_CRUMBS:]
    start = [Content("…")] if len(shown) < len(names) else []
    trail = [*start, *(on_one_line(name) for name in shown[:-1]), on_one_line(shown[-1], "$foreground bold")]
    parts = [Content(" › ").join(trail)]
    if link:
        return Content("  ").join([*parts, on_one_line(f"→ {link}", "$text-accent")])
    if note is not None:
        stands = where(passage.first_line, passage.last_line, passage.place) if passage else ""
        file = PurePath(note.path)
        parts.append(on_one_line(file.name + (f" · {stands}" if stands else "")))
        parts += [*(on_one_line(f"#{tag}", "$text-accent") for tag in note.tags), on_one_line(from_home(file.parent))]
    return Content("  ").join(parts)
