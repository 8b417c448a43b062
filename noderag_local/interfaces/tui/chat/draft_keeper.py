"""Keeps what is not sent or not answered, so that a closed terminal or a power cut does not lose it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from noderag_local.domain.errors import NoderagError
from noderag_local.interfaces.tui.shared.workers import start_worker
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer
    from textual.widget import Widget

    from noderag_local.interfaces.tui.shell.session import Session

KEEP_AFTER_SECONDS = 1.0
"""Seconds between a key and the draft's being kept: each keeping writes to the disk and waits for it."""


class DraftKeeper:
    """Keeps the draft of one question box in the vault, beside the conversations."""

    def __init__(self, owner: Widget, session: Session, draft: Callable[[], str]) -> None:
        """Keeps the arguments.

        Args:
            owner: widget whose timers and workers keep the draft.
            session: session whose vault has the conversations.
            draft: returns the present draft; "" if there is none.
        """
        self._owner = owner
        self._session = session
        self._draft = draft
        self._kept = ""
        self._recalled = asyncio.Event()
        """Set once the draft of the last time was read; to keep another one before that would lose it."""
        self._timer: Timer | None = None

    @property
    def is_kept(self) -> bool:
        """Whether leaving now loses nothing."""
        return self._draft() == self._kept

    async def recall(self) -> str:
        """Returns the draft of the last time; "" if there is none, or if it cannot be read.

        The caller adds it to the present draft at once, since from now on that is kept in its place.
        """
        try:
            # A vault may come from somebody else.
            self._kept = printable(await self._stored())
        finally:
            self._recalled.set()
        return self._kept

    async def _stored(self) -> str:
        if not self._session.has_vault():
            return ""
        try:
            return await self._session.read(lambda vault: vault.conversations.draft())
        except NoderagError:
            # The first answer, which is stored in the same file, shows the error.
            return ""

    def written(self) -> None:
        """Keeps the draft a moment after a change; further changes meanwhile are kept with it."""
        if self._timer is None and not self.is_kept:
            self._timer = self._owner.set_timer(KEEP_AFTER_SECONDS, self._keep_after_a_moment)

    def _keep_after_a_moment(self) -> None:
        self._timer = None
        start_worker(self._owner, self.keep, "draft", exclusive=True)

    async def keep(self) -> None:
        """Keeps the present draft; if the vault cannot be written, `is_kept` stays false."""
        await self._recalled.wait()
        text = self._draft()
        if text == self._kept or not self._session.has_vault():
            return
        try:
            if await self._session.read(lambda vault: vault.conversations.is_read_only):
                return
            await self._session.read(lambda vault: vault.conversations.keep_draft(text))
        except NoderagError:
            # Leaving then asks whether the draft may be lost.
            return
        self._kept = text
