"""The dialog that finds, opens, renames, exports and deletes earlier conversations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from noderag_local.domain.errors import NoderagError
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.option_lists import UnfocusedList
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.interfaces.tui.shared.workers import start_worker
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.storage.conversations.conversations import Conversation
from noderag_local.system.disk.current_folder import current_folder
from noderag_local.vault.export.conversation_export import write_markdown

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.vault.vault import Vault

MOST_SHOWN = 500
"""Maximum number of conversations that are shown, the most recent ones; searching finds the others."""


@dataclass(frozen=True, slots=True)
class ChosenConversation:
    """The conversation that a person chose."""

    conversation: int | None
    """Id of the conversation; None for a new one."""


class ConversationsDialog(Dialog[ChosenConversation | None]):
    """Lists the conversations and searches while the user types; returns None to continue the open one."""

    DEFAULT_CSS = """
    ConversationsDialog {
        DialogBox { width: 84; height: 26; max-height: 92%; padding: 1 2 0 2; }
        UnfocusedList { height: 1fr; margin-top: 1; }
        #count { color: $text-muted; }
    }
    """
    # Letters go into the search, so commands use ctrl.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", priority=True),
        Binding("ctrl+n", "begin", "New", priority=True),
        Binding("ctrl+r", "rename", "Name", priority=True),
        Binding("ctrl+x", "export", "Export", priority=True),
        Binding("ctrl+d", "delete", "Delete", priority=True),
        Binding("escape", "leave", "Back"),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("pagedown", "move(10)", show=False, priority=True),
        Binding("pageup", "move(-10)", show=False, priority=True),
    ]

    def __init__(self, session: Session, current: int | None = None) -> None:
        """Creates the dialog.

        Args:
            session: reads and changes the conversations.
            current: id of the open conversation; None while a new one is open.
        """
        super().__init__()
        self._session = session
        self._current = current
        self._is_current_gone = False
        self._shown: list[Conversation] = []

    def compose(self) -> ComposeResult:
        """Lays out search field, list, count and keys."""
        with DialogBox():
            yield Label("Conversations", id="title")
            yield Input(placeholder="Search in questions and answers")
            yield UnfocusedList()
            yield Label("", id="count")
            yield KeyLine()

    def on_mount(self) -> None:
        """Focuses the field, so that the user can type at once."""
        self.query_one(Input).focus()
        self._list("")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._list(event.value)

    @on(OptionList.OptionSelected)
    def _clicked(self) -> None:
        self.action_open()

    def action_move(self, rows: int) -> None:
        """Moves the cursor of the list."""
        self.query_one(UnfocusedList).move_highlight(rows)

    def action_open(self) -> None:
        """Opens the conversation at the cursor."""
        if (chosen := self._at_cursor()) is not None:
            self.dismiss(ChosenConversation(chosen.id))

    def action_begin(self) -> None:
        """Begins a new conversation."""
        self.dismiss(ChosenConversation(None))

    def action_leave(self) -> None:
        """Returns to the open conversation, or starts a new one if that was deleted."""
        self.dismiss(ChosenConversation(None) if self._is_current_gone else None)

    @work(exclusive=True, group="change")
    async def action_rename(self) -> None:
        """Asks for a name and renames the conversation at the cursor."""
        from noderag_local.interfaces.tui.shared.dialogs import NamingDialog

        chosen = self._at_cursor()
        if chosen is None:
            return
        name = await self.app.push_screen_wait(NamingDialog("Name of this conversation", chosen.name))
        if name is not None:
            try:
                await self._session.read(lambda vault: vault.conversations.rename(chosen.id, name))
            except NoderagError as error:
                self._tell(error)
            self._list(self.query_one(Input).value)

    @work(exclusive=True, group="change")
    async def action_delete(self) -> None:
        """Asks once, then deletes the conversation at the cursor for good."""
        from noderag_local.interfaces.tui.shared.dialogs import ConfirmDialog

        chosen = self._at_cursor()
        if chosen is None:
            return
        question = f"Delete “{' '.join(chosen.name.split())}” for good?"
        detail = f"{_turns(chosen)}: nothing of it stays in the file, and nothing brings it back. Your notes stay."
        if await self.app.push_screen_wait(ConfirmDialog(question, "Delete", detail)):
            self._is_current_gone |= chosen.id == self._current
            # Not in a worker of the dialog, which the next command cancels, and closing the dialog, too.
            start_worker(self.app, partial(self._delete, chosen.id), "conversations")

    async def _delete(self, conversation: int) -> None:
        try:
            left = await self._session.read(lambda vault: _deleted(vault, conversation))
        except NoderagError as error:
            self._is_current_gone &= conversation != self._current
            self._tell(error)
        else:
            if left:
                self.notify(left, severity="warning", timeout=15, markup=False)
        if self.is_current:
            self._list(self.query_one(Input).value)

    @work(exclusive=True, group="change")
    async def action_export(self) -> None:
        """Writes the conversation at the cursor into the current folder."""
        chosen = self._at_cursor()
        if chosen is None:
            return
        try:
            turns = await self._session.read(lambda vault: vault.conversations.turns(chosen.id))
            path = await self._session.read(lambda _: write_markdown(chosen, turns, current_folder()))
            note = await self._session.read(lambda vault: vault.encryption.plain_copy_note(path))
        except NoderagError as error:
            self._tell(error)
        else:
            self.notify(on_one_line(note or str(path)).plain, title="Written as Markdown", markup=False)

    @work(exclusive=True, group="list")
    async def _list(self, words: str) -> None:
        """Shows the conversations with these words; the cursor stays on its conversation if that is still listed."""
        before = self._at_cursor()
        try:
            found = await self._session.read(lambda vault: vault.conversations.search(words))
        except NoderagError as error:
            self._tell(error)
            return
        self._shown = found[:MOST_SHOWN]
        options = self.query_one(UnfocusedList)
        options.clear_options()
        options.add_options([Option(_line(one, is_open=one.id == self._current)) for one in self._shown])
        wanted = before.id if before else self._current
        places = [place for place, one in enumerate(self._shown) if one.id == wanted]
        if self._shown:
            options.highlighted = places[0] if places else 0
        self.query_one("#count", Label).update(_count(len(found), words))

    def _at_cursor(self) -> Conversation | None:
        place = self.query_one(UnfocusedList).highlighted
        return self._shown[place] if place is not None and place < len(self._shown) else None

    def _tell(self, error: NoderagError) -> None:
        self.notify(on_one_line(str(error)).plain, severity="error", markup=False)


def _line(conversation: Conversation, *, is_open: bool) -> Content:
    """Returns the row of a conversation: when it changed, its number of turns, its name; the open one has a mark."""
    when = f"{_when(conversation.changed):>10} {conversation.turns:>3}  "
    mark = Content.styled("● ", "$accent") if is_open else Content("  ")
    return Content.assemble(mark, Content.styled(when, "$text-muted"), on_one_line(conversation.name))


def _when(moment: datetime) -> str:
    """Returns the time for today, the day for this year, else the date."""
    local, now = moment.astimezone(), datetime.now().astimezone()
    if local.date() == now.date():
        return f"{local:%H:%M}"
    return f"{local.day} {local:%b}" if local.year == now.year else f"{local:%Y-%m-%d}"


def _count(found: int, words: str) -> str:
    if not found:
        return "None has these words." if words.strip() else "There are none yet: the first answer begins one."
    told = f"{found:,} conversation{'s' if found > 1 else ''}"
    return told if found <= MOST_SHOWN else f"{told}, the last {MOST_SHOWN} of them shown: search for older ones"


def _deleted(vault: Vault, number: int) -> str:
    """Deletes a conversation; returns a message if its text could not be cleared from the file yet, else ""."""
    from noderag_local.storage.forgetting.traces import told

    conversations = vault.conversations
    conversations.delete(number)
    return told(vault.safety.unfinished_forgetting()) if conversations.has_traces else ""


def _turns(conversation: Conversation) -> str:
    return "One question and its answer" if conversation.turns == 1 else f"{conversation.turns:,} questions and answers"
