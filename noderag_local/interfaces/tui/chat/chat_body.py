"""What is read in the chat: the conversation, and beside it or in its place the source that is open."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.chat.answers.cited import Cited
from noderag_local.interfaces.tui.chat.answers.source_line import SourceLine
from noderag_local.interfaces.tui.chat.answers.source_panel import SourcePanel
from noderag_local.interfaces.tui.chat.conversation_view import ConversationView
from noderag_local.interfaces.tui.shared.link_line import LinkLine
from noderag_local.interfaces.tui.shell.owner import noderag_of

WIDE = "-wide"
"""Class of a screen that has room for both side by side."""


class ChatBody(Horizontal):
    """In a wide screen the source stays beside the conversation until it is closed; in a narrow one it covers it."""

    DEFAULT_CSS = """
    ChatBody { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(str(number), f"open_source({number})", f"Source {number}", show=False) for number in range(1, 10)
    ]

    def compose(self) -> ComposeResult:
        """The conversation is read first."""
        yield ConversationView()
        yield SourcePanel()

    def on_mount(self) -> None:
        """Looks out for notes that change: what an answer cites may not stand there any more."""
        noderag_of(self).note_changes.subscribe(self, lambda _: self.panel.look_again())

    @property
    def conversation(self) -> ConversationView:
        """What was said."""
        return self.query_one(ConversationView)

    @property
    def panel(self) -> SourcePanel:
        """The source that was opened last."""
        return self.query_one(SourcePanel)

    @property
    def has_source(self) -> bool:
        """Whether one was opened yet."""
        return self.has_class("-has-source")

    def offer_source(self, source: Source) -> None:
        """Shows a source where there is room for it; the keys stay where they are."""
        if self._is_wide:
            self._show(source)

    def open_source(self, source: Source) -> None:
        """Shows a source and goes to it."""
        self._show(source)
        self.remove_class("-closed")
        self.add_class("-covering")
        self.panel.focus_text()

    def action_open_source(self, number: int) -> None:
        """Opens a source of the current answer by its number."""
        block = self.conversation.current
        for source in block.sources if block else ():
            if source.number == number:
                self.open_source(source)

    @on(Cited)
    def _cited(self, event: Cited) -> None:
        self.action_open_source(event.number)

    @on(LinkLine.Chosen)
    def _chosen(self, event: LinkLine.Chosen) -> None:
        if isinstance(event.line, SourceLine):
            self.open_source(event.line.source)

    def uncover(self) -> None:
        """Shows the conversation again where a source covers it."""
        self.remove_class("-covering")

    def toggle_source(self) -> bool:
        """Shows or hides the source; whether it covers the conversation now."""
        self.toggle_class("-closed" if self._is_wide else "-covering")
        return self.has_class("-covering") and not self._is_wide

    @property
    def _is_wide(self) -> bool:
        return self.screen.has_class(WIDE)

    def _show(self, source: Source) -> None:
        self.add_class("-has-source")
        self.panel.show(source)
