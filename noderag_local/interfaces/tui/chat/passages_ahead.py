"""Shows the best passages for a question while it is being typed, and lets the language model read them when one pauses."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from textual import work
from textual.containers import VerticalGroup

from noderag_local.domain.errors import NoderagError
from noderag_local.interfaces.tui.chat.answers.passage_lines import PassageLine
from noderag_local.interfaces.tui.chat.slash_commands import is_command
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.system.printing.excerpt import PASSAGES_SHOWN
from noderag_local.text.interrogatives import ends_as_question

if TYPE_CHECKING:
    from noderag_local.domain.passages import Retrieval
    from noderag_local.interfaces.tui.chat.ask_line import AskChoices

PAUSE_SECONDS = 0.15
"""Seconds without a key before a search begins: most people type faster within a word."""
READING_PAUSE_SECONDS = 0.5
"""Seconds without a key, after the passages are shown, before the language model begins to read them for half a question."""
FEWEST_LETTERS = 3


class PassagesAhead(VerticalGroup):
    """Searches whenever a person pauses; the first search also loads everything that later ones need."""

    DEFAULT_CSS = """
    PassagesAhead { height: auto; max-height: 9; padding: 0 1; background: $boost; display: none; }
    PassagesAhead.-open { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown_for = ""

    @property
    def lines(self) -> list[PassageLine]:
        """Lines of the passages that are shown, best first."""
        return list(self.query(PassageLine))

    @work(exclusive=True, group="ahead")
    async def look_for(self, text: str, choices: AskChoices) -> None:
        """Shows the passages for what has been typed so far; none for a command or a few letters.

        Args:
            text: contents of the question box.
            choices: method and scope of the search.
        """
        from noderag_local.retrieval.retriever import asks_model

        question = " ".join(text.split())
        if sum(map(str.isalnum, question)) < FEWEST_LETTERS or is_command(text):
            await self._show(None)
            return
        await asyncio.sleep(PAUSE_SECONDS)
        session = noderag_of(self).session
        method = choices.method or session.settings.method
        if session.is_asked or asks_model(method):
            return
        with suppress(NoderagError):
            # An error is shown when the question is asked.
            if question != self._shown_for:
                await self._show(await session.search(question, method=method, scope=choices.scope))
            await self._read(question, method, choices)

    async def _read(self, question: str, method: str, choices: AskChoices) -> None:
        """Lets the model read for the question until the next key; not beside a job, which needs the processor or the model."""
        owner = noderag_of(self)
        if not (owner.session.settings.read_ahead and choices.with_model):
            return
        await asyncio.sleep(0 if ends_as_question(question) else READING_PAUSE_SECONDS)
        await owner.session.read_ahead(
            question,
            method=method,
            budget_tokens=choices.budget_tokens,
            scope=choices.scope,
            unwanted=lambda: owner.jobs.is_busy,
        )

    async def _show(self, found: Retrieval | None) -> None:
        new, lines = found.sources[:PASSAGES_SHOWN] if found else (), self.lines
        self._shown_for = question = found.question if found else ""
        # Lines are changed in place, so that one that has the focus keeps it.
        for line, source in zip(lines, new, strict=False):
            line.show(source, question)
        await self.mount_all([PassageLine(source, question) for source in new[len(lines) :]])
        await self.remove_children(lines[len(new) :])
        self.set_class(bool(new), "-open")
