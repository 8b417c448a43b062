"""Asks a question of a vault: makes it stand alone, searches for it, and answers it piece by piece."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from noderag_local.domain.passages import Retrieval
from noderag_local.generation.answering import Answer, Answerer, stopped
from noderag_local.generation.follow_up import Exchange, leans, stand_alone
from noderag_local.models.llm.engine import Engine
from noderag_local.system.printing.amounts import counted


@dataclass(frozen=True, slots=True)
class AskProgress:
    """How far a question has come before the first piece of its answer."""

    message: str
    """What is being done now, for a person to read: "Searching …"."""
    asked_as: str = ""
    """The rewritten question, as soon as it is known; empty where the question is asked as it is."""
    retrieval: Retrieval | None = None
    """What the answer will be made from; None until the search has ended."""


@dataclass(frozen=True)
class VaultAsking:
    """Everything that asking needs from a vault."""

    search: Callable[[str], Retrieval]
    open_engine: Callable[[], Engine | None]
    answer_tokens: int
    progress: Callable[[AskProgress], None]
    cancelled: Callable[[], bool]

    def pieces(self, question: str, earlier: Sequence[Exchange], short: bool) -> Generator[str, None, Answer]:
        """The pieces of the answer, then the answer; the parameters are those of `Vault.ask`."""
        started = time.perf_counter()
        self.progress(AskProgress("Opening the language model …"))
        # Before the search, so that the context is counted with the model's own tokenizer.
        engine = self.open_engine()
        asked_as = self._rewritten(engine, question, earlier)
        retrieval = self._retrieved(asked_as or question, asked_as)
        if self.cancelled():
            return replace(stopped(retrieval), asked_as=asked_as, elapsed_seconds=time.perf_counter() - started)
        answerer = Answerer(engine, self.answer_tokens)
        first_piece_seconds = 0.0
        with closing(answerer.stream(retrieval, asked_as or question, self.cancelled, short)) as stream:
            for piece in stream:
                first_piece_seconds = first_piece_seconds or time.perf_counter() - started
                yield piece
        return replace(
            stream.result,
            asked_as=asked_as,
            first_piece_seconds=first_piece_seconds,
            elapsed_seconds=time.perf_counter() - started,
        )

    def _rewritten(self, engine: Engine | None, question: str, earlier: Sequence[Exchange]) -> str:
        """The question made to stand alone; empty where it does already, or where there is no model to rewrite it."""
        if engine is None or not earlier or not leans(question) or self.cancelled():
            return ""
        self.progress(AskProgress("Reading the question with what was said before …"))
        written = stand_alone(engine, question, earlier, self.cancelled)
        return "" if written == question else written

    def _retrieved(self, question: str, asked_as: str) -> Retrieval:
        self.progress(AskProgress("Searching …", asked_as))
        retrieval = self.search(question)
        reading = f"Reading {counted(len(retrieval.sources), 'passages')} …"
        self.progress(AskProgress(reading, asked_as, retrieval))
        return retrieval
