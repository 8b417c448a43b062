"""The chat's lines of the command palette: its commands, and how the next question is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from noderag_local.interfaces.tui.chat.questions.slash_commands import COMMANDS, SIGN

if TYPE_CHECKING:
    from noderag_local.interfaces.tui.chat.chat_screen import ChatScreen

BUDGETS = (500, 1000, 2000, 4000)
"""Offered; /budget takes any."""


class ChatPalette(Provider):
    """Offers the commands of the question box in the command palette."""

    async def discover(self) -> Hits:
        """Yields every line."""
        for text, run in self._lines():
            yield DiscoveryHit(text, run)

    async def search(self, query: str) -> Hits:
        """Yields the lines that match."""
        matcher = self.matcher(query)
        for text, run in self._lines():
            score = matcher.match(text)
            if score > 0:
                yield Hit(score, matcher.highlight(text), run, text=text)

    def _lines(self) -> Iterator[tuple[str, Callable[[], None]]]:
        from noderag_local.retrieval.retriever import method_names

        chat = cast("ChatScreen", self.screen)
        for command in COMMANDS:
            if command.name not in ("method", "budget", "help"):
                yield f"Chat: {command.does}", partial(chat.run_command, f"{SIGN}{command.name}")
        for method in method_names():
            yield f"Method: {method}", partial(chat.run_command, f"/method {method}")
        for budget in BUDGETS:
            yield f"Budget: {budget:,} tokens", partial(chat.run_command, f"/budget {budget}")
