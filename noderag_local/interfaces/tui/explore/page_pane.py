"""The page of a document, an entity or a theme, with the history of pages that led to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Label

from noderag_local.domain.errors import NoderagError, NotFound
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.explore.document_lines import document_entries
from noderag_local.interfaces.tui.explore.entity_view import entity_entries
from noderag_local.interfaces.tui.explore.navigation import NavigationHistory, NavigationStep, Place, Target
from noderag_local.interfaces.tui.explore.node_page import Entry, NodePage
from noderag_local.interfaces.tui.explore.theme_view import theme_entries
from noderag_local.interfaces.tui.shared.marked_words import marked
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.interfaces.tui.shell.owner import noderag_of

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault

SHOWN_CRUMBS = 4
FIRST_PAGE = "enter follows a line, backspace goes back"


class DocumentPlace(NamedTuple):
    """Path and record number of a document."""

    path: str
    record: int
    """Number of the document in its file, from 0."""


class SoughtPassage(NamedTuple):
    """Passage that a page is opened at, and the words to mark."""

    words: tuple[str, ...] = ()
    """Words to mark."""
    source: Source | None = None
    """Passage of the document at which its page is opened; None for its beginning."""


NOTHING_SOUGHT = SoughtPassage()


class PagePane(Vertical):
    """Shows one page and keeps the history; posts `SourceWanted` for a line that opens a place in the notes."""

    DEFAULT_CSS = """
    PagePane {
        .crumbs {
            width: 1fr;
            height: 1;
            padding: 0 1;
            background: $surface;
            color: $text-muted;
            text-wrap: nowrap;
            text-overflow: ellipsis;
        }
    }
    """

    class SourceWanted(Message):
        """Posted when a person follows a line to a place in the notes, or a page is opened for a passage that it has no room for."""

        def __init__(self, source: Source, words: tuple[str, ...] = (), *, is_followed: bool = True) -> None:
            self.source = source
            self.words = words
            """Words to mark."""
            self.is_followed = is_followed
            """Whether a person followed a line."""
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._history = NavigationHistory()
        self._sought = NOTHING_SOUGHT
        """Passage that the first page of the history was opened at."""
        self._places: dict[int, DocumentPlace] = {}
        """Path and record number of each shown document, by node id."""

    @property
    def target(self) -> Target | None:
        """Returns the page that the line under the cursor leads to."""
        return self.query_one(NodePage).target

    def compose(self) -> ComposeResult:
        """Lays out the history and the page."""
        yield Label("", classes="crumbs")
        yield NodePage()

    def open(self, step: NavigationStep) -> None:
        """Opens a page as the first one of the history, unless it already is."""
        if step != self._history.first:
            self.begin(step)

    def begin(self, step: NavigationStep, sought: SoughtPassage = NOTHING_SOUGHT) -> None:
        """Opens a page as the first one of a new history, at the passage that is sought."""
        self._history, self._sought = NavigationHistory(step), sought
        self._read()

    def begin_with(self, entries: Sequence[Entry]) -> None:
        """Shows lines that are no page of the vault, with an empty history."""
        self._history, self._sought = NavigationHistory(), NOTHING_SOUGHT
        self.query_one(".crumbs", Label).update("")
        self.query_one(NodePage).show(entries)

    def follow(self, target: Target) -> None:
        """Opens another page, or posts `SourceWanted`."""
        if isinstance(target, NavigationStep):
            self._history = self._history.onward(target, self.query_one(NodePage).highlighted)
            self._read()
        elif isinstance(target, Place):
            self._look_up(target)
        else:
            self.post_message(self.SourceWanted(target))

    def back(self) -> bool:
        """Goes back one page; returns False on the first page."""
        before = self._history.back()
        if before is None:
            return False
        self._history = before
        self._read()
        return True

    def refresh_page(self) -> None:
        """Reads the page again after the vault has changed; keeps the scroll position."""
        self._read(is_same=True)

    def say(self, text: str) -> None:
        """Shows a message instead of the page."""
        self.query_one(NodePage).show([Entry(safe_text(text, "$text-error"))])

    def focus_page(self) -> None:
        """Focuses the page, so that the arrow keys move along its lines."""
        self.query_one(NodePage).focus()

    @on(NodePage.Followed)
    def _followed(self, event: NodePage.Followed) -> None:
        event.stop()
        self.follow(event.target)

    @work(exclusive=True, group="page")
    async def _read(self, *, is_same: bool = False) -> None:
        history = self._history
        step = history.last
        if step is None:
            return
        self.query_one(".crumbs", Label).update(_crumbs(history.names))
        place = self._places.get(step.node)
        sought = self._sought if len(history.names) == 1 else NOTHING_SOUGHT
        try:
            found, entries = await noderag_of(self).session.read(
                lambda vault: _read_page(vault, step, place, sought.words)
            )
        except NoderagError as error:
            self.say(str(error))
            return
        self._history = history.with_last(found)
        self._remember_place(found, entries)
        if is_same:
            self.query_one(NodePage).show_again(entries)
        else:
            self._show(entries, history.cursor, sought)

    def _show(self, entries: Sequence[Entry], cursor: int | None, sought: SoughtPassage) -> None:
        page, source = self.query_one(NodePage), sought.source
        if source is None or cursor is not None:
            page.show(entries, cursor)
            return
        place = place_on_page(entries, source)
        page.show(entries, place)
        if place is None:
            self.post_message(self.SourceWanted(source, sought.words, is_followed=False))

    def _remember_place(self, step: NavigationStep, entries: Sequence[Entry]) -> None:
        source = next((entry.target for entry in entries if isinstance(entry.target, Source)), None)
        if step.type is NodeType.DOCUMENT and source is not None:
            self._places[step.node] = DocumentPlace(source.path, source.record)

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
            self.post_message(self.SourceWanted(found[0]))
        else:
            self._warn("This passage is not in the vault any more.")

    def _warn(self, text: str) -> None:
        self.notify(safe_text(text).plain, severity="warning", markup=False)


def place_on_page(entries: Sequence[Entry], source: Source) -> int | None:
    """Returns the entry of a document's page that has a passage; None if the page ends before it."""
    texts = [
        (place, entry.target.start_byte, entry.end_byte)
        for place, entry in enumerate(entries)
        if isinstance(entry.target, Source) and entry.target.record == source.record
    ]
    having = [place for place, start, end in texts if start < source.end_byte and source.start_byte < end]
    if having:
        return having[0]
    # The title of a document stands above its text and has no entry of its own.
    return texts[0][0] if texts and source.end_byte <= texts[0][1] else None


def _read_page(
    vault: Vault, step: NavigationStep, place: DocumentPlace | None, words: Sequence[str]
) -> tuple[NavigationStep, tuple[Entry, ...]]:
    """Returns the current page of a step and its lines, with some words marked."""
    try:
        found, entries = step, _entries(vault, step)
    except NotFound:
        found = _found_again(vault, step, place)
        entries = _entries(vault, found)
    if not words:
        return found, entries
    return found, tuple(replace(entry, text=marked(entry.text, words)) for entry in entries)


def _entries(vault: Vault, step: NavigationStep) -> tuple[Entry, ...]:
    if step.type is NodeType.DOCUMENT:
        return tuple(document_entries(vault.atlas.document(step.node)))
    if step.type is NodeType.COMMUNITY:
        return tuple(theme_entries(vault.atlas.theme(step.node)))
    return tuple(entity_entries(vault.atlas.entity(step.node)))


def _crumbs(names: tuple[str, ...]) -> Content:
    """Returns the names of the last pages of the history; for a first page, a hint about the keys."""
    if len(names) < 2:
        return Content(FIRST_PAGE)
    shown = names[-SHOWN_CRUMBS:]
    start = [Content("…")] if len(shown) < len(names) else []
    last = on_one_line(shown[-1], "$foreground bold")
    return Content(" › ").join([*start, *(on_one_line(name) for name in shown[:-1]), last])


def _found_again(vault: Vault, step: NavigationStep, place: DocumentPlace | None) -> NavigationStep:
    """Finds the same document by its place, or the same entity by its name, if a change of the vault gave it another id.

    Args:
        vault: open vault.
        step: page whose node no longer exists.
        place: path and record number of the document when its page was read; None if unknown.

    Raises:
        NotFound: it is no longer in the vault.
    """
    if step.type is NodeType.DOCUMENT and place is not None:
        documents = vault.atlas.library().documents
        node = next((one.node for one in documents if one.node and (one.path, one.record) == place), 0)
    elif step.type is NodeType.ENTITY:
        catalogue = vault.atlas.entities()
        node = catalogue.entity(catalogue.names.index(step.name)).node if step.name in catalogue.names else 0
    else:
        node = 0
    if not node:
        raise NotFound(f"{step.name} is not in the vault any more. Backspace goes back.")
    return replace(step, node=node)
