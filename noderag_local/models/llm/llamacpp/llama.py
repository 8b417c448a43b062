"""llama.cpp in this process: one model for a person's questions (`stream`) and for background work (`generate`).

Each streamed request runs in a thread of its own that holds the engine's lock, and hands its text over by a queue. The
caller's thread never waits inside llama.cpp, so that Ctrl-C and `cancelled` work while a long prompt is being read.
Background work computes in one thread of its own and stops within a node of its computation for a person's question.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from queue import Empty, SimpleQueue

from noderag_local.domain.errors import ModelError, SettingsError
from noderag_local.domain.stream import Stream
from noderag_local.models.llm.chat_template import ChatTemplate
from noderag_local.models.llm.constraint_check import prove_constraints_bind
from noderag_local.models.llm.engine import Completion, Finish, Outcome, Request, never
from noderag_local.models.llm.gguf_files.hashes import sampled_digest
from noderag_local.models.llm.llamacpp.background import POLL_SECONDS, Background, Precedence
from noderag_local.models.llm.llamacpp.batch_room import batch_room
from noderag_local.models.llm.llamacpp.llama_batch import LlamaBatch
from noderag_local.models.llm.llamacpp.llama_context import Block, LlamaContext
from noderag_local.models.llm.llamacpp.llama_native import Aborted, Model, StopFlag
from noderag_local.models.llm.llamacpp.scheduler import Scheduler
from noderag_local.models.llm.llamacpp.stream_run import StreamRun
from noderag_local.models.llm.llamacpp.tokenizer import Prompt, PromptWriter, Vocabulary
from noderag_local.models.llm.llamacpp.writing import Writing
from noderag_local.models.llm.machine import available_memory_bytes, physical_cores

BLOCK_TOKENS = 256
"""Prompt tokens read in one go. On one thread 64, 128, 256 and 512 gave 33, 52, 53 and 54 a second; a stop does not
wait for the end of a block."""

CONTEXT_STEP = 2048
"""The cache grows in steps of so many tokens."""

SPARE_BYTES = 300 * 1024 * 1024
"""Memory that the cache leaves free: for the batch's own buffers and everything else that runs."""

SEQUENCES = 32
"""Texts that are written at a time, memory permitting."""

SEQUENCE_TOKENS = 768
"""Room for each of them; a longer one makes the caches grow."""

_Event = str | Completion | Exception


class LlamaEngine:
    """A GGUF that answers. Several threads may use it; their requests are answered one after the other."""

    def __init__(
        self,
        path: Path,
        threads: int = 0,
        gpu_layers: int = -1,
        block_tokens: int = BLOCK_TOKENS,
        sequences: int = SEQUENCES,
        sequence_tokens: int = SEQUENCE_TOKENS,
    ) -> None:
        """Opens the model; the first request allocates the caches, as large as it needs.

        Args:
            path: the GGUF.
            threads: of the processor; 0: one a physical core.
            gpu_layers: layers on a GPU, where llama.cpp was built for one; -1: all.
            block_tokens: prompt tokens that `stream` reads in one go.
            sequences: texts that `generate` writes at a time, where there is memory for so many.
            sequence_tokens: that each of them may have at first, prompt and answer; a longer one makes room.

        Raises:
            ModelMissing, ModelDamaged, ModelError: as `Model` says; or it has no chat template.
        """
        self._model = Model(path, gpu_layers=gpu_layers)
        self._vocabulary = Vocabulary(self._model)
        template = ChatTemplate.of_model(self.name, self._model.chat_template, *self._vocabulary.marks())
        self._prompts = PromptWriter(self._vocabulary, template)
        self._threads = threads or physical_cores()
        self._block_tokens = block_tokens
        self._sequences, self._sequence_tokens = sequences, sequence_tokens
        self._context: LlamaContext | None = None
        self._lock = threading.Lock()
        self._flags: weakref.WeakSet[StopFlag] = weakref.WeakSet()
        self._batch: LlamaBatch | None = None
        self._batch_lock = threading.RLock()
        """Held while the batch computes or its scores are looked at."""
        self._generating = threading.Lock()
        self._precedence = Precedence()
        self._proven = self._closed = False

    @property
    def name(self) -> str:
        """The name of the model's file, without its ending."""
        return self._model.name

    @cached_property
    def identity(self) -> str:
        """The name and a digest of the file's content."""
        return f"{self.name} {sampled_digest(self._model.path)}"

    @property
    def context_length(self) -> int:
        """Number of tokens that the model was trained to read."""
        return self._model.context_length

    @property
    def keeps_what_it_read(self) -> bool:
        """True: the cache keeps the prompt that was read last."""
        return True

    def count_tokens(self, text: str) -> int:
        """Counts the tokens of `text` as it stands; special tokens are neither added nor recognised."""
        return self._vocabulary.count(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Returns `count_tokens` of each text."""
        return [self._vocabulary.count(text) for text in texts]

    def close(self) -> None:
        """Stops what runs and frees the model; later requests raise ModelError."""
        self._closed = True
        for flag in (*self._flags, self._precedence.background_flag):
            flag.set()
        self._free_batch()
        with self._lock, self._batch_lock:
            if self._context is not None:
                self._context.close()
            self._context = None
            self._model.close()

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Answers a request piece by piece.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ModelError: there is no memory for the context, or the engine failed or was closed.
        """
        return Stream(self._pieces(request, cancelled))

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Answers many requests; yields each when it is finished.

        `requests` and `cancelled` are asked from the thread that reads the iterator; closing it stops the model.

        Raises:
            ModelError: there is no memory for the batch, or the engine failed or was closed. What concerns one request
                is its outcome's error.
            RuntimeError: another `generate` of this engine has not come to its end.
        """
        taken_from = iter(requests)
        if not self._generating.acquire(blocking=False):
            raise RuntimeError("an engine runs one generate at a time; read the other one to its end or close it")
        background = Background(self._precedence, lambda: cancelled() or self._closed)
        scheduler = Scheduler(
            taken_from, self._prompt_of, partial(self._batch_for, background), self._vocabulary, background
        )
        try:
            while not scheduler.done and not cancelled():
                with self._batch_lock:
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
        """Frees the batch: hundreds of megabytes that the next work may need, an embedding model for example."""
        with self._batch_lock:
            if self._batch is not None:
                self._batch.close()
            self._batch = None

    def _check_open(self) -> None:
        if self._closed:
            raise ModelError(f"{self.name} was closed; open the model again.")

    def _prompt_of(self, request: Request) -> Prompt:
        prompt = self._prompts.prompt(request.messages)
        self._check_length(len(prompt), request.max_tokens)
        return prompt

    def _batch_for(self, background: Background, tokens: int) -> LlamaBatch:
        """Returns a batch with room for texts of so many tokens.

        Raises:
            SettingsError: the memory is too small for so long a text, though not for the usual ones.
            ModelError: it is too small for any, or constraints do not bind.
        """
        if self._batch is None or self._batch.tokens < tokens:
            if self._batch is not None:
                self._batch.close()
                self._batch = None
            self._batch = self._new_batch(tokens)
        if not self._proven:
            prove_constraints_bind(self.name, self._batch, self._prompts, self._vocabulary, background)
            self._proven = True
        return self._batch

    def _new_batch(self, tokens: int) -> LlamaBatch:
        usual = min(self._sequence_tokens, self.context_length or self._sequence_tokens)
        try:
            room = batch_room(self._model, self._sequences, max(tokens, usual))
            flag = self._precedence.background_flag
            return LlamaBatch(self._model, room.sequences, room.tokens, self._threads, flag)
        except ModelError as error:
            if tokens <= usual:
                raise
            raise SettingsError(f"A text of {tokens} tokens is too long for this machine: {error}") from error

    def _pieces(self, request: Request, cancelled: Callable[[], bool]) -> Generator[str, None, Completion]:
        events: SimpleQueue[_Event] = SimpleQueue()
        flag = StopFlag()
        self._flags.add(flag)
        worker = threading.Thread(target=self._work, args=(request, flag, events.put), name="llama")
        worker.start()
        try:
            while True:
                if cancelled():
                    flag.set()
                try:
                    event = events.get(timeout=POLL_SECONDS)
                except Empty:
                    continue
                if isinstance(event, Completion):
                    return event
                if isinstance(event, Exception):
                    raise event
                if not flag.is_set():
                    yield event
        finally:
            flag.set()
            worker.join()

    def _work(self, request: Request, flag: StopFlag, tell: Callable[[_Event], None]) -> None:
        """Runs a request in the worker's thread and reports every error, so that the caller never waits in vain."""
        with self._precedence.person():
            while not self._lock.acquire(timeout=POLL_SECONDS):
                if flag.is_set():
                    tell(Completion(Finish.CANCELLED, 0, 0, 0, 0.0, 0.0))
                    return
            try:
                tell(self._answer(request, flag, tell))
            except Exception as error:  # noqa: BLE001 - raised again in the caller's thread
                tell(error)
            finally:
                self._lock.release()

    def _answer(self, request: Request, flag: StopFlag, tell: Callable[[_Event], None]) -> Completion:
        run = StreamRun(Writing(request, self._vocabulary), tell)
        prompt = self._prompts.prompt(request.messages)
        context = self._room_for(len(prompt), request.max_tokens)
        context.watch(flag)
        finish = run.finish(context, self._blocks(prompt))
        elapsed = time.perf_counter() - run.started
        first = run.first_token_at - run.started if run.first_token_at else elapsed
        return Completion(finish, len(prompt), run.reused_tokens, run.writing.written, first, elapsed)

    def _blocks(self, prompt: Prompt) -> list[Block]:
        """Splits the prompt's tokens into blocks; one ends before the last message, so that all before it can be reused."""
        size = self._block_tokens
        return [part[at : at + size] for part in (prompt.shared, prompt.own) for at in range(0, len(part), size)]

    def _check_length(self, prompt_tokens: int, max_tokens: int) -> None:
        if self.context_length and prompt_tokens + max_tokens > self.context_length:
            raise SettingsError(
                f"The prompt takes {prompt_tokens} tokens and the answer up to {max_tokens}, but {self.name} reads at most "
                f"{self.context_length} together. Choose a model with a longer context, or for a question lower "
                "budget_tokens (--budget) or answer_tokens."
            )

    def _room_for(self, prompt_tokens: int, max_tokens: int) -> LlamaContext:
        self._check_length(prompt_tokens, max_tokens)
        needed = prompt_tokens + max_tokens
        if self._context is None or self._context.size < needed:
            if self._context is not None:
                self._context.close()
                self._context = None
            self._context = LlamaContext(self._model, self._allocation(needed), self._threads, self._block_tokens)
        return self._context

    def _allocation(self, needed: int) -> int:
        """Returns the tokens to allocate: `needed` rounded up, at most as many as the model can read.

        Raises:
            ModelError: so much memory is not free.
        """
        tokens = min(-(-needed // CONTEXT_STEP) * CONTEXT_STEP, self.context_length or needed)
        free = available_memory_bytes()
        wanted = tokens * self._model.cache_bytes_per_token() + SPARE_BYTES
        if free is not None and wanted > free:
            raise ModelError(
                f"{self.name} needs {wanted >> 20} MB for a context of {tokens} tokens and {free >> 20} MB are free. "
                "Lower budget_tokens (--budget), close other programs or choose a smaller model."
            )
        return tokens
