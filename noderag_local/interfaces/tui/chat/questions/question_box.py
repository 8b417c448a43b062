"""The box in which questions and commands are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from noderag_local.interfaces.tui.chat.questions.slash_commands import Hint

EDITING = "Editing the last question; escape: ask anew"
_TAKEN = {"f6", "f7", "ctrl+e", "ctrl+y"}
"""Keys of textual's text area that mean something else in the chat."""


def _without_taken(binding: BindingType) -> BindingType:
    assert isinstance(binding, Binding)
    kept = [key for key in binding.key.split(",") if key not in _TAKEN]
    return Binding(",".join(kept), binding.action, binding.description, show=False) if kept else ("", "", "")


class QuestionBox(TextArea, inherit_bindings=False):
    """Enter sends, shift+enter or ctrl+j begins a line, up brings back what was asked, tab completes a command."""

    DEFAULT_CSS = """
    QuestionBox {
        height: auto;
        min-height: 3;
        max-height: 10;
        border: round $panel-lighten-2;
        padding: 0 1;
        background: $background;
        &:focus { border: round $primary; }
        & .text-area--cursor-line { background: $background; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(kept for kept in map(_without_taken, TextArea.BINDINGS) if isinstance(kept, Binding)),
        Binding("enter", "send", "Ask"),
        Binding("shift+enter,ctrl+j,alt+enter", "new_line", "New line", show=False),
        Binding("tab", "complete", "Complete", show=False),
    ]

    class Asked(Message):
        """Posted when a person sends the text of the box, which is empty then."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class Left(Message):
        """Posted when a person leaves the box for the answers."""

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, show_line_numbers=False, placeholder="Ask your notes. / shows commands.")
        self.hints: Sequence[Hint] = ()
        """Ways to go on that tab takes; the screen sets them."""
        self._asked: list[str] = []
        self._recalled = 0
        """How many questions back the box stands; 0 is what is written now."""

    @property
    def is_editing(self) -> bool:
        """Whether what is sent next takes the place of the last turn; shown over the box."""
        return bool(self.border_title)

    @is_editing.setter
    def is_editing(self, value: bool) -> None:
        self.border_title = EDITING if value else ""

    def remember(self, questions: Sequence[str]) -> None:
        """Takes over earlier questions, oldest first, for the key up."""
        self._asked, self._recalled = list(questions), 0

    def put(self, text: str) -> None:
        """Puts a text into the box, to be changed or sent."""
        self.text = text
        self.move_cursor(self.document.end)

    def on_key(self, event: events.Key) -> None:
        """Enter sends. A binding with priority would overtake letters that are still on their way to the box."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.action_send()

    def action_send(self) -> None:
        """Sends the text."""
        text = self.text.strip()
        if not text:
            return
        self._asked.append(text)
        self._recalled = 0
        self.text = ""
        self.post_message(self.Asked(text))

    def action_new_line(self) -> None:
        """Begins another line."""
        self.insert("\n")

    def action_complete(self) -> None:
        """Completes the command with the first hint; without one it leaves the box."""
        if self.hints:
            self.put(self.hints[0].text)
        else:
            self.post_message(self.Left())

    def action_cursor_up(self, select: bool = False) -> None:
        """Recalls the question before, if the box is empty or shows a recalled question unchanged."""
        if select or not self._may_recall(-1):
            super().action_cursor_up(select)
        else:
            self._recall(self._recalled + 1)

    def action_cursor_down(self, select: bool = False) -> None:
        """Recalls the question after."""
        if select or not self._recalled or not self._may_recall(1):
            super().action_cursor_down(select)
        else:
            self._recall(self._recalled - 1)

    def _may_recall(self, step: int) -> bool:
        shown = self._asked[-self._recalled] if self._recalled else ""
        return self.text == shown and 0 <= self._recalled - step <= len(self._asked)

    def _recall(self, back: int) -> None:
        self._recalled = back
        self.put(self._asked[-back] if back else "")
