"""Answers many requests in parallel, as many as memory allows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from noderag_local.domain.errors import ModelError, SettingsError
from noderag_local.models.llm.engine import Message, Outcome, Request, Role
from noderag_local.models.llm.llamacpp.background import Background, Precedence
from noderag_local.models.llm.llamacpp.llama_batch import ROWS, LlamaBatch
from noderag_local.models.llm.llamacpp.llama_native import Aborted, Model
from noderag_local.models.llm.llamacpp.sampling import Scores
from noderag_local.models.llm.llamacpp.scheduler import Scheduler
from noderag_local.models.llm.llamacpp.tokenizer import PromptWriter, Vocabulary
from noderag_local.models.llm.llamacpp.writing import Writing
from noderag_local.models.llm.machine import available_memory_bytes

CACHE_BYTES = 704 * 1024 * 1024
"""Maximum bytes of the caches of all sequences, unless one sequence needs more: enough for 32 sequences of 768 tokens with a
model of 1.5 billion parameters."""

SPARE_BYTES = 400 * 1024 * 1024
"""Memory to leave free for llama.cpp's own buffers and for other programs."""

STEP_TOKENS = 256
"""Caches grow in steps of this many tokens; llama.cpp pads them to that anyway."""

PROOF_QUESTION = (Message(Role.USER, "Say yes."),)
"""The request that tests whether constraints work."""
PROOF_TOKENS = 4
"""Maximum tokens of its answer."""


class BatchedAnswers:
    """Answers background requests with one model, one run at a time."""

    def __init__(
        self,
        model: Model,
        vocabulary: Vocabulary,
        prompts: PromptWriter,
        precedence: Precedence,
        threads: int,
        sequences: int,
        sequence_tokens: int,
    ) -> None:
        """Keeps the arguments; each run allocates its caches and frees them.

        Args:
            model: open model; must stay open while this object is used.
            vocabulary: vocabulary of the model.
            prompts: writer of prompts for the model.
            precedence: interrupts the computation while a person waits.
            threads: number of processor threads.
            sequences: maximum texts at a time, if memory allows.
            sequence_tokens: initial maximum tokens of each text, prompt and answer; it grows for longer texts.
        """
        self._model, self._vocabulary, self._prompts = model, vocabulary, prompts
        self._precedence, self._threads = precedence, threads
        self._sequences, self._sequence_tokens = sequences, sequence_tokens
        self._batch: LlamaBatch | None = None
        self._lock = threading.RLock()
        """Held while the batch computes or its scores are read."""
        self._generating = threading.Lock()
        self._proven = self._closed = False

    def stop(self) -> None:
        """Ends the current run and refuses further ones."""
        self._closed = True
        self._precedence.background_flag.set()

    @contextmanager
    def freed(self) -> Iterator[None]:
        """Waits for the lock, frees the batch, and allows no new one until the block ends."""
        with self._lock:
            self._free_batch()
            yield

    def outcomes(self, requests: Iterable[Request], cancelled: Callable[[], bool]) -> Iterator[Outcome]:
        """Yields each answer when it is finished; closing the iterator stops the model.

        Raises:
            ModelError: there is no memory for the batch, or llama.cpp failed, or the model was closed.
            RuntimeError: another run has not ended yet.
        """
        taken_from = iter(requests)
        if not self._generating.acquire(blocking=False):
            raise RuntimeError(
                "only one `generate` can run at a time; finish or close the iterator of the other one first"
            )
        background = Background(self._precedence, lambda: cancelled() or self._closed)
        scheduler = Scheduler(
            taken_from, self._prompts.fitting_prompt, partial(self._batch_for, background), self._vocabulary, background
        )
        try:
            while not scheduler.done and not cancelled():
                with self._lock:
                    self._check_open()
                    outcomes = scheduler.advance()
                yield from outcomes
        except Aborted:
            self._check_open()
        finally:
            background.close()
            self._free_batch()
            self._generating.release()

    def _free_batch(self) -> None:
        """Frees the batch, whose hundreds of megabytes the next work, such as an embedding model, may need."""
        with self._lock:
            if self._batch is not None:
                self._batch.close()
            self._batch = None

    def _check_open(self) -> None:
        if self._closed:
            raise ModelError(f"{self._model.name} was closed; open the model again.")

    def _batch_for(self, background: Background, tokens: int) -> LlamaBatch:
        """Returns a batch with room for texts of `tokens` tokens.

        Raises:
            SettingsError: memory is too small for a text of this length, but not for usual ones.
            ModelError: memory is too small for any text, or constraints have no effect.
        """
        if self._batch is None or self._batch.tokens < tokens:
            if self._batch is not None:
                self._batch.close()
                self._batch = None
            self._batch = self._new_batch(tokens)
        if not self._proven:
            self._prove_constraints_bind(self._batch, background)
            self._proven = True
        return self._batch

    def _new_batch(self, tokens: int) -> LlamaBatch:
        usual = min(self._sequence_tokens, self._model.context_length or self._sequence_tokens)
        try:
            room = batch_room(self._model, self._sequences, max(tokens, usual))
            flag = self._precedence.background_flag
            return LlamaBatch(self._model, room.sequences, room.tokens, self._threads, flag)
        except ModelError as error:
            if tokens <= usual:
                raise
            raise SettingsError(f"A text of {tokens} tokens is too long for this machine: {error}") from error

    def _prove_constraints_bind(self, batch: LlamaBatch, background: Background) -> None:
        """Lets the model write a few tokens freely, then again without the first byte of that text.

        Raises:
            ModelError: the second text contains the byte or is empty; then constraints do not work with this vocabulary.
            Aborted: the caller has given up.
        """
        prompt = self._prompts.prompt(PROOF_QUESTION)
        tokens = (*prompt.shared, *prompt.own)

        def read() -> Scores:
            batch.begin(0, shared=False)
            return batch.read(0, tokens)

        def written(request: Request) -> bytes:
            writing = Writing(request, self._vocabulary)
            said = writing.begin() + writing.go_on(background.run(read))
            while writing.finish is None:
                said += writing.go_on(background.run(partial(batch.read, 0, writing.unread())))
            return (said + writing.rest()).encode()

        free = written(Request(PROOF_QUESTION, PROOF_TOKENS))
        bound = written(Request(PROOF_QUESTION, PROOF_TOKENS, constraint=lambda: _Without(free[0]))) if free else b""
        if not bound or free[0] in bound:
            raise ModelError(
                f"{self._model.name} does not follow constraints: asked for a text without {free[:1]!r}, it wrote {bound!r}. "
                "Choose another model: `noderag models list`."
            )


class _Without:
    """Allows any text of one to eight bytes that does not contain a given byte."""

    def __init__(self, forbidden: int) -> None:
        self._forbidden, self._length = forbidden, 0

    def allows(self, piece: bytes) -> bool:
        return self._forbidden not in piece and self._length + len(piece) <= 8

    def accept(self, piece: bytes) -> None:
        self._length += len(piece)

    def may_end(self) -> bool:
        return self._length > 0

    def forced(self) -> bytes:
        return b""


@dataclass(frozen=True, slots=True)
class BatchRoom:
    """The number of sequences of a batch and their length."""

    sequences: int
    tokens: int
    """Maximum tokens of each sequence."""


def batch_room(model: Model, sequences: int, tokens: int) -> BatchRoom:
    """Returns the room for texts of `tokens` tokens: as many sequences as memory allows, up to `sequences`.

    Raises:
        ModelError: memory is too small for a single sequence.
    """
    tokens = -(-tokens // STEP_TOKENS) * STEP_TOKENS
    each = tokens * model.cache_bytes_per_token()
    free = available_memory_bytes()
    most = CACHE_BYTES if free is None else min(CACHE_BYTES, free - SPARE_BYTES)
    # One more sequence holds the shared beginning.
    fitting = min(sequences, most // each - 1)
    if fitting >= ROWS:
        return BatchRoom(fitting // ROWS * ROWS, tokens)
    if free is not None and free - SPARE_BYTES < 2 * each:
        raise ModelError(
            f"{model.name} needs {(2 * each + SPARE_BYTES) >> 20} MB for a text of {tokens} tokens, but only {free >> 20} MB "
            "are free. Close other programs or choose a smaller model."
        )
    return BatchRoom(max(1, fitting), tokens)
