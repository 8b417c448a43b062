"""Runs the commands of the question box, and offers them in the command palette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from noderag_local.domain.budget_bounds import LEAST_BUDGET, MOST_BUDGET
from noderag_local.domain.errors import NoderagError, SettingsError
from noderag_local.interfaces.tui.chat.inbox_notes import InboxNotes
from noderag_local.interfaces.tui.chat.slash_commands import COMMANDS, NOTE, SIGN, parse_command, unknown_command
from noderag_local.interfaces.tui.shared.workers import start_worker
from noderag_local.interfaces.tui.shell.palette import Command
from noderag_local.retrieval.scope_words import in_words, read_scope
from noderag_local.system.disk.current_folder import current_folder

if TYPE_CHECKING:
    from noderag_local.domain.passages import Scope
    from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen


BUDGETS = (500, 1000, 2000, 4000)
"""Budgets that the palette offers; /budget accepts any."""


class ChatCommands:
    """Runs commands for the chat's screen."""

    def __init__(self, chat: ChatScreen) -> None:
        self._chat = chat
        self.notes = InboxNotes(chat)
        """The notes that /note adds to the inbox."""
        self._does: dict[str, Callable[[str], Awaitable[None] | None]] = {
            "method": self._method,
            "budget": self._budget,
            "scope": self._scope,
            "passages": lambda _: self._passages(),
            "new": lambda _: chat.action_new(),
            "talks": lambda _: self._talks(),
            "name": self._name,
            "export": lambda _: self._export(),
            "why": lambda _: chat.run_action("why"),
            "help": lambda _: chat.run_action("app.help"),
        }

    def run(self, text: str) -> None:
        """Runs a command; for an unknown one, shows the list of commands."""
        command = parse_command(text)
        if command.name == NOTE:
            # Not in the worker of the commands, which the next one cancels: a note that was sent stands nowhere else.
            self.notes.add(command.argument)
            return
        do = self._does.get(command.name)
        if do is None:
            self._chat.warn(unknown_command(command.name))
            return
        start_worker(self._chat, partial(self._done, do, command.argument), "command", exclusive=True)

    def for_palette(self) -> Iterator[Command]:
        """Yields the commands for the command palette; methods and sizes appear only when the user types part of their names."""
        from noderag_local.retrieval.retriever import method_names

        for command in COMMANDS:
            if command.name not in ("method", "budget", NOTE, "help"):
                yield self._offered(f"Chat: {command.does}", command.name, is_shown_first=True)
            elif command.name == NOTE:
                yield Command(f"Chat: {command.does}", "", lambda: self._chat.begin_question(f"{SIGN}{NOTE} "), True)
        for method in method_names():
            yield self._offered(f"Method: {method}", f"method {method}", is_shown_first=False)
        for budget in BUDGETS:
            yield self._offered(f"Budget: {budget:,} tokens", f"budget {budget}", is_shown_first=False)

    def _offered(self, text: str, command: str, *, is_shown_first: bool) -> Command:
        return Command(text, "", partial(self.run, f"{SIGN}{command}"), is_shown_first)

    async def _done(self, do: Callable[[str], Awaitable[None] | None], argument: str) -> None:
        try:
            waiting = do(argument)
            if waiting is not None:
                await waiting
        except NoderagError as error:
            self._chat.warn(str(error))

    def _method(self, name: str) -> None:
        from noderag_local.retrieval.retriever import canonical

        self._chat.choose(replace(self._chat.choices, method=canonical(name)))

    def _budget(self, written: str) -> None:
        digits = written.replace(",", "")
        if not digits.isdecimal() or not LEAST_BUDGET <= int(digits) <= MOST_BUDGET:
            raise SettingsError(f"/budget takes a number from {LEAST_BUDGET} to {MOST_BUDGET:,}, such as /budget 2000.")
        self._chat.choose(replace(self._chat.choices, budget_tokens=int(digits)))

    def _passages(self) -> None:
        self._chat.choose(replace(self._chat.choices, with_model=not self._chat.choices.with_model))

    async def _scope(self, written: str) -> None:
        scope = read_scope(written) if written else await self._scope_by_dialog()
        if scope is None:
            return
        # Rejects a folder that does not exist now, not at the next question.
        if not await self._chat.session.read(lambda vault: vault.atlas.count_in(scope)):
            raise SettingsError(f"No document is in this scope: {in_words(scope)}. The scope stays as it was.")
        self._chat.choose(replace(self._chat.choices, scope=scope))

    async def _scope_by_dialog(self) -> Scope | None:
        from noderag_local.interfaces.tui.chat.scope_dialog import ScopeDialog

        return await self._chat.app.push_screen_wait(ScopeDialog(self._chat.session, self._chat.choices.scope))

    async def _talks(self) -> None:
        from noderag_local.interfaces.tui.chat.conversations_dialog import ConversationsDialog

        choice = await self._chat.app.push_screen_wait(
            ConversationsDialog(self._chat.session, self._chat.conversation_state.number)
        )
        if choice is None:
            await self._chat.conversation_state.reread()
            self._chat.conversation.name_it(self._chat.conversation_state.name)
        elif choice.conversation is None:
            self._chat.action_new()
        else:
            self._chat.open_conversation(choice.conversation)

    async def _name(self, name: str) -> None:
        from noderag_local.interfaces.tui.shared.dialogs import NamingDialog

        state = self._chat.conversation_state
        if state.number is None:
            raise SettingsError("A conversation can be named after its first answer.")
        chosen: str | None = name
        if not chosen:
            chosen = await self._chat.app.push_screen_wait(NamingDialog("Name of this conversation", state.name))
        if chosen:
            await state.rename(chosen)
            self._chat.conversation.name_it(state.name)

    async def _export(self) -> None:
        path, note = await self._chat.conversation_state.export(current_folder())
        self._chat.notify(note or f"Written to {path}", markup=False)
