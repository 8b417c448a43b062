"""Reads and stores the open conversation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import NoderagError, NotFound
from noderag_local.storage.conversations.conversations import Conversation, Turn

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.shell.session import Session
    from noderag_local.vault.vault import Vault

NEW = "New conversation"
RECALLED_CONVERSATIONS = 10
"""Number of recent conversations whose questions the up key recalls."""


class ConversationState:
    """The open conversation; it is stored from its first answer on."""

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
        """Returns suggested questions to start with; none if there is no vault or it cannot be read."""
        if not self._session.has_vault():
            return ()
        try:
            return await self._session.read(lambda vault: vault.atlas.suggestions())
        except NoderagError:
            # The first question will show what is wrong with the vault.
            return ()

    async def earlier_questions(self) -> list[str]:
        """Returns the questions of the most recent conversations, oldest first."""
        if not self._session.has_vault():
            return []

        def read(vault: Vault) -> list[str]:
            recent = vault.conversations.all()[:RECALLED_CONVERSATIONS]
            turns = (vault.conversations.turns(one.id) for one in reversed(recent))
            return [turn.question for of_one in turns for turn in of_one]

        try:
            return await self._session.read(read)
        except NoderagError:
            # The list of conversations shows the error.
            return []

    def begin(self) -> None:
        """Starts a new, empty conversation."""
        self._kept = None

    async def open(self, number: int) -> tuple[Turn, ...]:
        """Opens a stored conversation and returns its turns.

        Raises:
            NotFound: the conversation was deleted.
            StoreError: the conversations cannot be read.
        """
        # Both in one task: if the turns cannot be read, the conversation that is shown stays the open one.
        self._kept, turns = await self._session.read(
            lambda vault: (vault.conversations.get(number), vault.conversations.turns(number))
        )
        return turns

    async def keep(self, turn: Turn, *, replaces: bool) -> bool:
        """Stores a turn; returns False if the vault's folder is read-only, so that nothing can be stored.

        Args:
            turn: question and answer.
            replaces: True replaces the last turn.

        Raises:
            QuotesForgotten: the turn quotes a file that was forgotten meanwhile.
            StoreError: the conversations cannot be written, for another reason than a read-only folder.
        """
        number = self.number
        if await self._session.read(lambda vault: vault.conversations.is_read_only):
            return False
        if replaces and number is not None:
            self._kept = await self._session.read(lambda vault: vault.conversations.replace_last(number, turn))
        else:
            self._kept = await self._session.read(lambda vault: vault.conversations.add(number, turn))
        return True

    async def export(self, folder: Path) -> tuple[Path, str]:
        """Writes the whole conversation as Markdown, without overwriting an existing file.

        Returns:
            The path of the file, and `VaultEncryption.plain_copy_note` about it.

        Raises:
            NotFound: the conversation was deleted, or has no answer yet.
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

    async def reread(self) -> None:
        """Reads the conversation again, which may have been renamed in the list of conversations.

        Raises:
            NotFound: the conversation was deleted.
            StoreError: the conversations cannot be read.
        """
        number = self.number
        if number is not None:
            self._kept = await self._session.read(lambda vault: vault.conversations.get(number))

    async def rename(self, name: str) -> None:
        """Renames the conversation.

        Raises:
            NotFound: the conversation was deleted.
            StoreError: the conversations cannot be written.
        """
        number = self.number
        if number is not None:
            await self._session.read(lambda vault: vault.conversations.rename(number, name))
            await self.reread()
