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
        """Posted when a person follows a line to a place in the notes."""

        def __init__(self, source: Source) -> None:
            self.source = source
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._history = NavigationHistory()
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

    def begin(self, step: NavigationStep) -> None:
        """Opens a page as the first one of a new history."""
        self._history = NavigationHistory(step)
        self._read()

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
        try:
            found, entries = await noderag_of(self).session.read(lambda vault: _read_page(vault, step, place))
        except NoderagError as error:
            self.say(str(error))
            return
        self._history = history.with_last(found)
        self._remember_place(found, entries)
        if is_same:
            self.query_one(NodePage).show_again(entries)
        else:
            self.query_one(NodePage).show(entries, history.cursor)

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


def _read_page(
    vault: Vault, step: NavigationStep, place: DocumentPlace | None
) -> tuple[NavigationStep, tuple[Entry, ...]]:
    """Returns the current page of a step and its lines."""
    try:
        return step, _entries(vault, step)
    except NotFound:
        now = _found_again(vault, step, place)
        return now, _entries(vault, now)


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
