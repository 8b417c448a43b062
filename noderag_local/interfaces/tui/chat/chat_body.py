"""The reading area of the chat: the conversation, and the open source beside it or over it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from noderag_local.domain.passages import Source
from noderag_local.interfaces.tui.chat.answers.source_lines import CitationClicked, LinkLine, SourceLine
from noderag_local.interfaces.tui.chat.conversation_view import ConversationView
from noderag_local.interfaces.tui.reader.navigation import step_to
from noderag_local.interfaces.tui.reader.note_reader import NoteReader
from noderag_local.interfaces.tui.shell.owner import noderag_of

WIDE = "-wide"
"""CSS class of a screen that has room for both side by side."""


class ChatBody(Horizontal):
    """Shows the source beside the conversation on a wide screen, and over it on a narrow one."""

    DEFAULT_CSS = """
    ChatBody { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(number), f"open_source({number})", f"Source {number}", show=False) for number in range(1, 10)),
        Binding("backspace", "screen.back", "Back", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Lays out the conversation and the reader."""
        yield ConversationView()
        yield NoteReader()

    def on_mount(self) -> None:
        """Subscribes to changes of notes, since a cited passage may disappear."""
        noderag_of(self).note_changes.subscribe(self, lambda _: self.reader.refresh_page())

    @property
    def conversation(self) -> ConversationView:
        """The view of the conversation."""
        return self.query_one(ConversationView)

    @property
    def reader(self) -> NoteReader:
        """The reader, which shows the note of the source that was opened last."""
        return self.query_one(NoteReader)

    @property
    def has_source(self) -> bool:
        """Whether a source has been opened."""
        return self.has_class("-has-source")

    def offer_source(self, source: Source) -> None:
        """Shows a source if there is room beside the conversation, without moving the focus."""
        if self._is_wide:
            self._show(source)

    def open_source(self, source: Source) -> None:
        """Shows a source and focuses it."""
        self._show(source)
        self.remove_class("-closed")
        self.add_class("-covering")
        self.reader.focus_shown()

    def action_open_source(self, number: int) -> None:
        """Opens a source of the current answer by its number."""
        block = self.conversation.current
        for source in block.sources if block else ():
            if source.number == number:
                self.open_source(source)

    @on(CitationClicked)
    def _cited(self, event: CitationClicked) -> None:
        self.action_open_source(event.number)

    @on(LinkLine.Chosen)
    def _chosen(self, event: LinkLine.Chosen) -> None:
        if isinstance(event.line, SourceLine):
            self.open_source(event.line.source)

    def uncover(self) -> None:
        """Closes a source that covers the conversation."""
        self.remove_class("-covering")

    def close_source(self) -> None:
        """Forgets the source, because its conversation is no longer open."""
        self.remove_class("-has-source", "-covering", "-closed")

    def toggle_source(self) -> bool:
        """Shows or hides the source; returns whether it now covers the conversation."""
        self.toggle_class("-closed" if self._is_wide else "-covering")
        return self.has_class("-covering") and not self._is_wide

    @property
    def _is_wide(self) -> bool:
        return self.screen.has_class(WIDE)

    def _show(self, source: Source) -> None:
        self.add_class("-has-source")
        self.reader.open(step_to(source))
