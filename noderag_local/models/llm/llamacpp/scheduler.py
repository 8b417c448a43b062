"""Schedules texts in a batch: a request enters when a sequence is free and leaves when its text ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from noderag_local.domain.errors import ModelError, NoderagError, SettingsError
from noderag_local.models.llm.engine import Completion, Outcome, Request
from noderag_local.models.llm.llamacpp.background import Background
from noderag_local.models.llm.llamacpp.llama_batch import ROWS, LlamaBatch
from noderag_local.models.llm.llamacpp.sampling import Scores
from noderag_local.models.llm.llamacpp.tokenizer import Prompt, Vocabulary
from noderag_local.models.llm.llamacpp.writing import Writing

READ_TOGETHER = 8
"""At least this many forced tokens are read at once, separately; fewer are cheaper one at a time beside other sequences."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A request that was taken but has no sequence yet."""

    number: int
    request: Request
    prompt: Prompt

    @property
    def tokens(self) -> int:
        return len(self.prompt) + self.request.max_tokens


@dataclass(slots=True)
class _Text:
    """A request that has a sequence."""

    number: int
    prompt: Prompt
    writing: Writing
    started: float
    reused_tokens: int = 0
    first_token_at: float | None = None
    pieces: list[str] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    """Written tokens that the model must read before it can choose the next one."""


class Scheduler:
    """Answers requests with a batch; call `advance` until `done`. Not thread-safe."""

    def __init__(
        self,
        requests: Iterator[Request],
        prompt_of: Callable[[Request], Prompt],
        batch_for: Callable[[int], LlamaBatch],
        vocabulary: Vocabulary,
        background: Background,
    ) -> None:
        """Keeps the arguments without taking a request yet.

        Args:
            requests: requests, taken one at a time; their exceptions are raised by `advance`.
            prompt_of: returns the prompt of a request; raises NoderagError if the model cannot answer it.
            batch_for: returns an empty batch for texts of a number of tokens; it may free the previous batch. Raises
                SettingsError if this length is too much, ModelError if every length is.
            vocabulary: vocabulary of the model.
            background: runs the computations.
        """
        self._requests, self._prompt_of, self._batch_for = requests, prompt_of, batch_for
        self._vocabulary, self._background = vocabulary, background
        self._batch: LlamaBatch | None = None
        self._running: dict[int, _Text] = {}
        self._waiting: _Waiting | None = None
        """A request too long for the present batch; it continues when the running texts have ended."""
        self._taken = 0
        self._exhausted = False

    @property
    def done(self) -> bool:
        """Whether every request has its outcome."""
        return self._exhausted and not self._running and self._waiting is None

    def advance(self) -> list[Outcome]:
        """Takes requests that there is room for, or writes one token of each text; returns the finished ones.

        Raises:
            Aborted: the caller has given up.
            ModelError: the engine failed.
        """
        return self._fill() or self._step()

    def _fill(self) -> list[Outcome]:
        while self._batch is None or len(self._running) < self._batch.sequences:
            waiting = self._next()
            if waiting is None:
                break
            outcome = waiting if isinstance(waiting, Outcome) else self._place(waiting)
            if outcome is not None:
                return [outcome]
            if self._waiting is not None:
                break
        return []

    def _next(self) -> _Waiting | Outcome | None:
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            return waiting
        request = None if self._exhausted else next(self._requests, None)
        if request is None:
            self._exhausted = True
            return None
        number = self._taken
        self._taken += 1
        try:
            return _Waiting(number, request, self._prompt_of(request))
        except NoderagError as error:
            return Outcome(number, "", None, error)

    def _place(self, waiting: _Waiting) -> Outcome | None:
        """Gives a request a sequence, or keeps it until a larger batch is possible."""
        if self._batch is None or self._batch.tokens < waiting.tokens:
            if self._running:
                self._waiting = waiting
                return None
            self._batch = None
            try:
                self._batch = self._batch_for(waiting.tokens)
            except SettingsError as error:
                return Outcome(waiting.number, "", None, error)
        return self._begin(self._batch, waiting)

    def _begin(self, batch: LlamaBatch, waiting: _Waiting) -> Outcome | None:
        prompt, started = waiting.prompt, time.perf_counter()
        try:
            text = _Text(waiting.number, prompt, Writing(waiting.request, self._vocabulary), started)
            text.pieces.append(text.writing.begin())
        except Exception as error:  # noqa: BLE001 - foreign code; one request's failure is its own
            return _failed(waiting.number, error)
        if text.writing.finish is not None:
            return _ended(text)
        sequence = next(number for number in range(batch.sequences) if number not in self._running)
        own = (*prompt.own, *text.writing.unread())

        def read() -> Scores:
            batch.begin(sequence)
            return batch.read(sequence, own)

        text.reused_tokens = self._background.run(lambda: batch.share(prompt.shared))
        scores = self._background.run(read)
        self._running[sequence] = text
        return self._ask(sequence, scores)

    def _step(self) -> list[Outcome]:
        if not self._running or self._batch is None:
            return []
        batch = self._batch
        self._close_ranks(batch)
        outcomes: list[Outcome | None] = []
        for sequence, text in list(self._running.items()):
            if len(text.unread) >= READ_TOGETHER:
                outcomes.append(self._read_together(batch, sequence, text))
        tokens = {sequence: text.unread[0] for sequence, text in self._running.items()}
        if tokens:
            scores = self._background.run(lambda: batch.step(tokens))
            for sequence in tokens:
                text = self._running[sequence]
                del text.unread[0]
                if not text.unread:
                    outcomes.append(self._ask(sequence, scores[sequence]))
        return [outcome for outcome in outcomes if outcome is not None]

    def _read_together(self, batch: LlamaBatch, sequence: int, text: _Text) -> Outcome | None:
        tokens, text.unread = text.unread, []
        return self._ask(sequence, self._background.run(lambda: batch.read(sequence, tokens)))

    def _ask(self, sequence: int, scores: Scores) -> Outcome | None:
        """Chooses the next token; returns the outcome if the text ends with it."""
        text = self._running[sequence]
        text.first_token_at = text.first_token_at or time.perf_counter()
        try:
            text.pieces.append(text.writing.go_on(scores))
        except Exception as error:  # noqa: BLE001 - foreign code; one request's failure is its own
            del self._running[sequence]
            return _failed(text.number, error)
        if text.writing.finish is not None:
            del self._running[sequence]
            return _ended(text)
        text.unread = text.writing.unread()
        return None

    def _close_ranks(self, batch: LlamaBatch) -> None:
        """Moves texts to the first free sequences, so that each step computes as few sequences as possible."""
        enough = -(-len(self._running) // ROWS) * ROWS
        while (last := max(self._running)) >= enough:
            free = next(number for number in range(enough) if number not in self._running)
            batch.move(last, free)
            self._running[free] = self._running.pop(last)


def _ended(text: _Text) -> Outcome:
    writing, now = text.writing, time.perf_counter()
    assert writing.finish is not None
    elapsed = now - text.started
    first = text.first_token_at - text.started if text.first_token_at else elapsed
    completion = Completion(writing.finish, len(text.prompt), text.reused_tokens, writing.written, first, elapsed)
    return Outcome(text.number, "".join(text.pieces) + writing.rest(), completion)


def _failed(number: int, error: Exception) -> Outcome:
    if isinstance(error, NoderagError):
        return Outcome(number, "", None, error)
    failure = ModelError(f"The constraint of request {number} failed: {type(error).__name__}: {error}. Report this.")
    failure.__cause__ = error
    return Outcome(number, "", None, failure)
