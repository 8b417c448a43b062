"""Adds the notes of the question box to the inbox."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import NoderagError, SettingsError
from noderag_local.interfaces.tui.chat.slash_commands import NOTE, SIGN
from noderag_local.interfaces.tui.shared.workers import start_worker
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.vault.inbox import add_entry, entry, inbox_of

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen


class InboxNotes:
    """The notes of a chat on their way to the inbox, in the order in which they were sent."""

    def __init__(self, chat: ChatScreen) -> None:
        """Begins without notes; a note that cannot be added goes back into the question box of the chat."""
        self._chat = chat
        self._sent: asyncio.Queue[str] = asyncio.Queue()

    def add(self, text: str) -> None:
        """Adds a line to the inbox at once; it is found as soon as nothing else is being written to the vault."""
        self._sent.put_nowait(text)
        start_worker(self._chat, self._add_next, "note")

    async def all_added(self) -> None:
        """Waits until every note is in the inbox, or back in the question box."""
        await self._sent.join()

    async def _add_next(self) -> None:
        try:
            await self._add(self._sent.get_nowait())
        except NoderagError as error:
            self._chat.warn(str(error))
        finally:
            self._sent.task_done()

    async def _add(self, text: str) -> None:
        if not text:
            raise SettingsError("Write what to note behind it, such as /note Call the landlord about the boiler.")
        session = self._chat.session
        try:
            file = inbox_of(session.settings.inbox_file, session.folder)
            item = entry(text, datetime.now())
            await session.read(lambda _: add_entry(file, item))
        except NoderagError:
            self._chat.give_back(f"{SIGN}{NOTE} {text}")
            raise
        self._chat.notify(f"{item}\nis now in {file}.", title="Noted")
        start_worker(self._chat, partial(self._index, file), "noted")

    async def _index(self, file: Path) -> None:
        try:
            report = await self._chat.session.write(lambda vault: vault.index([file]))
        except NoderagError as error:
            self._chat.warn(f"The line is in {file}, but is not found yet: {error}")
            return
        for skipped in report.skipped:
            self._chat.warn(f"The line is in {file}, but is not found: {skipped.told}")
        noderag_of(self._chat).note_changes.publish(None)
