"""Shows a document; its lines lead to other pages or to their place in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.chat.answers.source_panel import SourcePanel
from noderag_local.interfaces.tui.explore.navigation import NavigationStep
from noderag_local.interfaces.tui.explore.node_page import Entry, NodePage
from noderag_local.interfaces.tui.explore.page_pane import PagePane, SoughtPassage

if TYPE_CHECKING:
    from noderag_local.domain.library import LibraryDocument


class DocumentReader(Vertical):
    """Shows a document. A source opened from a line covers the page until `back` is called."""

    DEFAULT_CSS = """
    DocumentReader {
        SourcePanel { display: none; }
        &.-source SourcePanel { display: block; }
        &.-source PagePane { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_passage_alone = False
        """Whether a source is shown in place of a page that ends before it; there is no page to go back to then."""

    def compose(self) -> ComposeResult:
        """Lays out the page and the source."""
        yield PagePane()
        yield SourcePanel()

    @property
    def source(self) -> Source | None:
        """Place in the notes under the cursor; None if there is none."""
        if self.has_class("-source"):
            return self.query_one(SourcePanel).source
        target = self.query_one(PagePane).target
        return target if isinstance(target, Source) else None

    def open(self, document: LibraryDocument, name: str) -> None:
        """Shows a document, or the reason why it cannot be shown, and focuses it."""
        self._begin()
        page = self.query_one(PagePane)
        if document.node:
            page.begin(NavigationStep(NodeType.DOCUMENT, document.node, name))
        else:
            page.say(document.reason)
        page.focus_page()

    def open_page(self, step: NavigationStep, sought: SoughtPassage, *, takes_focus: bool) -> None:
        """Shows a page at the passage that is sought.

        Args:
            step: page to open.
            sought: words to mark on it, and the passage at which it opens.
            takes_focus: False leaves the focus where it is.
        """
        self._begin()
        self.query_one(PagePane).begin(step, sought)
        if takes_focus:
            self.focus_shown()

    def show_lines(self, entries: Sequence[Entry]) -> None:
        """Shows lines that are no page of the vault."""
        self._begin()
        self.query_one(PagePane).begin_with(entries)

    def focus_shown(self) -> None:
        """Focuses what is shown: the source, or the page."""
        if self.has_class("-source"):
            self.query_one(SourcePanel).focus_text()
        else:
            self.query_one(PagePane).focus_page()

    def back(self) -> bool:
        """Closes a source, or goes back one page; returns False if neither is possible."""
        page = self.query_one(PagePane)
        if self._is_passage_alone or (not self.has_class("-source") and not page.back()):
            return False
        self.remove_class("-source")
        page.focus_page()
        return True

    def refresh_page(self) -> None:
        """Reads the shown page again after the vault has changed."""
        self.query_one(PagePane).refresh_page()
        self.query_one(SourcePanel).look_again()

    def _begin(self) -> None:
        self.remove_class("-source")
        self._is_passage_alone = False

    @on(PagePane.SourceWanted)
    def _source_wanted(self, event: PagePane.SourceWanted) -> None:
        event.stop()
        page_had_focus = self.query_one(NodePage).has_focus
        self.add_class("-source")
        self._is_passage_alone = not event.is_followed
        panel = self.query_one(SourcePanel)
        panel.show(event.source, event.words)
        if event.is_followed or page_had_focus:
            panel.focus_text()
