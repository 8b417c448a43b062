"""Answers a question from a vault: rewrites a question that refers to earlier ones, searches, and streams the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from noderag_local.domain.passages import Retrieval
from noderag_local.generation.answering import Answer, Answerer, stopped
from noderag_local.generation.decomposition import steps_of
from noderag_local.generation.follow_up import Exchange, leans, stand_alone
from noderag_local.generation.variation import varied
from noderag_local.models.llm.engine import Engine
from noderag_local.system.printing.amounts import counted
from noderag_local.vault.second_look import is_told, sentence_instead
from noderag_local.vault.steps import STEP_TOKENS, StepsTaken, take_steps


@dataclass(frozen=True, slots=True)
class AskProgress:
    """Progress of a question before the first piece of its answer."""

    message: str
    """Description of the present step for the user: "Searching …"."""
    asked_as: str = ""
    """The rewritten question, as soon as it is known; empty if the question was not rewritten."""
    retrieval: Retrieval | None = None
    """Result of the search, from which the answer is made; None until the search has ended."""
    reader: str = ""
    """Name of the language model that reads what was found; empty if there is none, and before the search has ended."""


@dataclass(frozen=True)
class VaultAsking:
    """The parts of a vault that are needed to answer a question."""

    compute: Callable[[str], Answer | None]
    """Answers a question that needs no reading but counting, adding up, comparing days or listing; None for any other."""
    search: Callable[[str, int], Retrieval]
    """Returns the passages for a question within a number of tokens."""
    budget_tokens: int
    """Tokens that the passages of all steps may have together."""
    is_default: bool
    """Whether the method is the default, which takes several steps, and reads little where one sentence has all words."""
    open_engine: Callable[[], Engine | None]
    answer_tokens: int
    progress: Callable[[AskProgress], None]
    cancelled: Callable[[], bool]

    def pieces(self, question: str, earlier: Sequence[Exchange], short: bool) -> Generator[str, None, Answer]:
        """Yields the pieces of the answer and returns the whole answer; parameters as for `Vault.ask`."""
        started = time.perf_counter()
        asked_as = varied(question, earlier[-1].question, date.today()) if earlier else ""
        leaning = bool(earlier) and not asked_as and leans(question)
        engine = self._opened() if leaning else None
        asked_as = self._rewritten(engine, question, earlier) if leaning else asked_as
        computed = self.compute(asked_as or question)
        if computed is not None:
            self.progress(AskProgress("", asked_as, computed.retrieval))
            yield computed.text
            elapsed = time.perf_counter() - started
            return replace(computed, asked_as=asked_as, first_piece_seconds=elapsed, elapsed_seconds=elapsed)
        # Opened before the search, so that the model's own tokenizer counts the context.
        engine = engine or self._opened()
        taken = self._steps_taken(engine, asked_as or question)
        asked_as = taken.rest if taken.steps else asked_as
        budget_tokens = self._left(len(taken.steps))
        retrieval = self._retrieved(asked_as or question, asked_as, budget_tokens, engine.name if engine else "")
        if self.cancelled():
            return replace(stopped(retrieval), asked_as=asked_as, elapsed_seconds=time.perf_counter() - started)
        answerer = Answerer(engine, self.answer_tokens)
        first_piece_seconds = 0.0
        quote = partial(sentence_instead, asked_as or question, retrieval)
        with closing(answerer.stream(retrieval, asked_as or question, self.cancelled, short, quote)) as stream:
            for piece in stream:
                first_piece_seconds = first_piece_seconds or time.perf_counter() - started
                yield piece
        return replace(
            stream.result,
            asked_as=asked_as,
            note=" ".join(filter(None, (stream.result.note, taken.told))),
            filter_tokens=stream.result.filter_tokens + sum(step.llm_tokens for step in taken.steps),
            first_piece_seconds=first_piece_seconds,
            elapsed_seconds=time.perf_counter() - started,
        )

    def _opened(self) -> Engine | None:
        self.progress(AskProgress("Opening the language model …"))
        return self.open_engine()

    def _rewritten(self, engine: Engine | None, question: str, earlier: Sequence[Exchange]) -> str:
        """Rewrites a question that refers to earlier ones; returns "" if there is no model."""
        if engine is None or self.cancelled():
            return ""
        self.progress(AskProgress("Reading the question with the conversation so far …"))
        written = stand_alone(engine, question, earlier, self.cancelled)
        return "" if written == question else written

    def _steps_taken(self, engine: Engine | None, question: str) -> StepsTaken:
        """Answers all steps of a question but the last; none if it has one step, or a step without an answer."""
        steps = steps_of(question) if engine and self.is_default else ()
        if engine is None or not steps:
            return StepsTaken((), question)
        self.progress(AskProgress(f"First: {steps[0]}"))
        return take_steps(steps, engine, self.search, self.cancelled) or StepsTaken((), question)

    def _left(self, steps: int) -> int:
        """Tokens for the passages of the last step: what the steps before it left, but no fewer than for one of them."""
        left = self.budget_tokens - STEP_TOKENS * steps
        return max(left, min(STEP_TOKENS, self.budget_tokens))

    def _retrieved(self, question: str, asked_as: str, budget_tokens: int, reader: str) -> Retrieval:
        self.progress(AskProgress("Searching …", asked_as))
        retrieval = self._searched(question, budget_tokens, bool(reader))
        reading = f"Reading {counted(len(retrieval.sources), 'passages')} …"
        self.progress(AskProgress(reading, asked_as, retrieval, reader))
        return retrieval

    def _searched(self, question: str, budget_tokens: int, is_read: bool) -> Retrieval:
        """Searches for a context; a short one is enough for a model if a sentence in it has all words of the question."""
        found = self.search(question, budget_tokens)
        if not (is_read and self.is_default and budget_tokens > STEP_TOKENS and is_told(question, found)):
            return found
        near = self.search(question, STEP_TOKENS)
        return near if is_told(question, near) else found
