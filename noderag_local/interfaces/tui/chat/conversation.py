"""The conversation that is open, as it is kept in the vault's folder."""

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
    """It is kept from its first answer on."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: Conversation | None = None

    @property
    def number(self) -> int | None:
        """Its id; None before its first answer."""
        return self._kept.id if self._kept else None

    @property
    def name(self) -> str:
        """As a list shows it."""
        return self._kept.name if self._kept else NEW

    async def suggestions(self) -> tuple[str, ...]:
        """Questions to begin with; none where there is no vault, or one that cannot be read."""
        if not self._session.has_vault():
            return ()
        try:
            return await self._session.read(lambda vault: vault.atlas.suggestions())
        except NoderagError:
            # The first question will say what is wrong with the vault.
            return ()

    async def warm_up(self, beginning: str) -> None:
        """Searches for the beginning of a question, so that what searches need is open when the whole one comes."""
        with suppress(NoderagError):
            await self._session.search(beginning)

    def begin(self) -> None:
        """Goes on with nothing said."""
        self._kept = None

    async def open(self, number: int) -> tuple[Turn, ...]:
        """Goes on with one that was kept.

        Raises:
            NotFound: it is gone.
            StoreError: the conversations cannot be read.
        """
        self._kept = await self._session.read(lambda vault: vault.conversations.get(number))
        return await self._session.read(lambda vault: vault.conversations.turns(number))

    async def keep(self, turn: Turn, *, replaces: bool) -> None:
        """Keeps a turn.

        Args:
            replaces: in place of the last one.

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
        """Names it.

        Raises:
            NotFound: it is gone.
            StoreError: the conversations cannot be written.
        """
        number = self.number
        if number is not None:
            await self._session.read(lambda vault: vault.conversations.rename(number, name))
            self._kept = await self._session.read(lambda vault: vault.conversations.get(number))
