"""The interface's session: which vault serves which thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from interfaces.tui.waiting import run

from noderag_local.domain.stream import Stream
from noderag_local.generation.answering import Answer
from noderag_local.interfaces.tui.shell.application import NoderagApp
from noderag_local.vault.ask import AskProgress
from noderag_local.vault.vault import Vault


def test_what_needs_the_graph_gets_the_vault_that_answers_questions(
    app_of: Callable[..., NoderagApp], people: Path
) -> None:
    async def test() -> None:
        session = app_of(people).session
        asked: list[Vault] = []

        def begin(vault: Vault, progress: Callable[[AskProgress], None]) -> Stream[Answer]:
            asked.append(vault)
            return vault.ask("Who lives in Oslo?", with_model=False, progress=progress)

        async def heard(piece: AskProgress | str) -> None:
            """Nobody reads it here."""

        await session.ask(begin, heard)
        assert await session.read_graph(lambda vault: vault) is asked[0]
        assert await session.read(lambda vault: vault) is not asked[0]

    run(test)
