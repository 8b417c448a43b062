"""The open conversation, as it is stored in the vault's folder."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import NoderagError, NotFound
from noderag_local.storage.conversations.conversations import Conversation, Turn

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.shell.session import Session

NEW = "New conversation"


class ConversationState:
    """Reads and stores the open conversation. It is stored from its first answer on."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: Conversation | None = None

    @property
    def number(self) -> int | None:
        """Id of the conversation; None before its first answer."""
        return self._kept.id if self._kept else None

    @property
    def name(self) -> str:
        """Name of the conversation, as lists show it."""
        return self._kept.name if self._kept else NEW

    async def suggestions(self) -> tuple[str, ...]:
        """Returns questions to begin with; none if there is no vault or it cannot be read."""
        if not self._session.has_vault():
            return ()
        try:
            return await self._session.read(lambda vault: vault.atlas.suggestions())
        except NoderagError:
            # The first question will say what is wrong with the vault.
            return ()

    async def warm_up(self, beginning: str) -> None:
        """Searches for the beginning of a question, so that everything a search needs is loaded before the whole question is asked."""
        with suppress(NoderagError):
            await self._session.search(beginning)

    def begin(self) -> None:
        """Begins a new, empty conversation."""
        self._kept = None

    async def open(self, number: int) -> tuple[Turn, ...]:
        """Opens a stored conversation and returns its turns.

        Raises:
            NotFound: it is gone.
            StoreError: the conversations cannot be read.
        """
        self._kept = await self._session.read(lambda vault: vault.conversations.get(number))
        return await self._session.read(lambda vault: vault.conversations.turns(number))

    async def keep(self, turn: Turn, *, replaces: bool) -> None:
        """Stores a turn.

        Args:
            turn: question and answer.
            replaces: whether the turn takes the place of the last one.

        Raises:
            StoreError: the conversations cannot be written.
        """
        number = self.number
        if replaces and number is not None:
            self._kept = await self._session.read(lambda vault: vault.conversations.replace_last(number, turn))
        else:
            self._kept = await self._session.read(lambda vault: vault.conversations.add(number, turn))

    async def export(self, folder: Path) -> tuple[Path, str]:
        """Writes the whole conversation as Markdown; a file that is there already stays.

        Returns:
            the file, and `VaultEncryption.plain_copy_note` of it.

        Raises:
            NotFound: it is gone, or nothing was answered yet.
            StoreError: the conversations cannot be read.
            SourceError: the folder cannot be written to.
        """
        from noderag_local.vault.export.conversation_export import write_markdown

        number = self.number
        if number is None:
            raise NotFound("There is nothing to export before the first answer.")
        conversation = await self._session.read(lambda vault: vault.conversations.get(number))
        turns = await self._session.read(lambda vault: vault.conversations.turns(number))
        path = await self._session.read(lambda _: write_markdown(conversation, turns, folder))
        return path, await self._session.read(lambda vault: vault.encryption.plain_copy_note(path))

    async def rename(self, name: str) -> None:
        """Renames the conversation.

        Raises:
            NotFound: it is gone.
            StoreError: the conversations cannot be written.
        """
        number = self.number
        if number is not None:
            await self._session.read(lambda vault: vault.conversations.rename(number, name))
            self._kept = await self._session.read(lambda vault: vault.conversations.get(number))
