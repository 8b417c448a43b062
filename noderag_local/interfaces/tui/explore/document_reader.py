"""Shows a document; its lines lead to other pages or to their place in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.chat.answers.source_panel import SourcePanel
from noderag_local.interfaces.tui.explore.navigation import NavigationStep
from noderag_local.interfaces.tui.explore.page_pane import PagePane

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

    def compose(self) -> ComposeResult:
        """Lays out the page and the source."""
        yield PagePane()
        yield SourcePanel()

    @property
    def source(self) -> Source | None:
        """Place in the notes under the cursor; None if there is none."""
        target = self.query_one(PagePane).target
        return target if isinstance(target, Source) else None

    def open(self, document: LibraryDocument, name: str) -> None:
        """Shows a document, or the reason why it cannot be shown, and focuses it."""
        self.remove_class("-source")
        page = self.query_one(PagePane)
        if document.node:
            page.begin(NavigationStep(NodeType.DOCUMENT, document.node, name))
        else:
            page.say(document.reason)
        page.focus_page()

    def back(self) -> bool:
        """Closes a source, or goes back one page; returns False if neither is possible."""
        page = self.query_one(PagePane)
        if not self.has_class("-source") and not page.back():
            return False
        self.remove_class("-source")
        page.focus_page()
        return True

    def refresh_page(self) -> None:
        """Reads the shown page again after the vault has changed."""
        self.query_one(PagePane).refresh_page()
        self.query_one(SourcePanel).look_again()

    @on(PagePane.SourceWanted)
    def _source_wanted(self, event: PagePane.SourceWanted) -> None:
        event.stop()
        self.add_class("-source")
        panel = self.query_one(SourcePanel)
        panel.show(event.source)
        panel.focus_text()
