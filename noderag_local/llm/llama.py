"""llama.cpp in this process: one model, one sequence at a time, stoppable at any moment, the prompt's start cached.

Each request runs in a thread of its own that holds the engine's lock, and hands its text over by a queue. The caller's
thread never waits inside llama.cpp, so that Ctrl-C and `cancelled` work while a long prompt is being read.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

import llama_cpp.llama_cpp as native

from noderag_local.errors import ModelError, SettingsError
from noderag_local.llm.chat_template import ChatTemplate
from noderag_local.llm.engine import Completion, Finish, Message, Request, TextStream, never
from noderag_local.llm.llama_context import Aborted, Block, LlamaContext, StopFlag
from noderag_local.llm.llama_native import Model, Pointer
from noderag_local.llm.machine import available_memory_bytes, physical_cores
from noderag_local.llm.text_stream import StreamedText, loops
from noderag_local.llm.tokenizer import Vocabulary

BLOCK_TOKENS = 256
"""Prompt tokens read in one go. On one thread 64, 128, 256 and 512 gave 33, 52, 53 and 54 a second; a stop does not
wait for the end of a block."""

POLL_SECONDS = 0.03
"""How often `cancelled` is asked while there is no text."""

CONTEXT_STEP = 2048
"""The cache grows in steps of so many tokens."""

SPARE_BYTES = 300 * 1024 * 1024
"""Memory that the cache leaves free: for the batch's own buffers and everything else that runs."""

LOOP_CHECK_TOKENS = 8
"""A loop is looked for after so many new tokens."""

_Event = str | Completion | Exception


class LlamaEngine:
    """A GGUF that answers. Several threads may use it; their requests are answered one after the other."""

    def __init__(self, path: Path, threads: int = 0, gpu_layers: int = -1, block_tokens: int = BLOCK_TOKENS) -> None:
        """Open the model; the cache is allocated by the first request, as large as it needs.

        Args:
            path: the GGUF.
            threads: of the processor; 0: one a physical core.
            gpu_layers: layers on a GPU, where llama.cpp was built for one; -1: all.
            block_tokens: prompt tokens read in one go.

        Raises:
            ModelMissing, ModelDamaged, ModelError: as `Model` says.
        """
        self._model = Model(path, gpu_layers=gpu_layers)
        self._vocabulary = Vocabulary(self._model)
        self._template = ChatTemplate(self._model.chat_template, *self._vocabulary.marks())
        self._threads = threads or physical_cores()
        self._block_tokens = block_tokens
        self._context: LlamaContext | None = None
        self._lock = threading.Lock()
        self._flags: weakref.WeakSet[StopFlag] = weakref.WeakSet()

    @property
    def name(self) -> str:
        """The name of the model's file, without its ending."""
        return self._model.name

    @property
    def context_length(self) -> int:
        """Tokens that the model was trained to read."""
        return self._model.context_length

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as it stands; special tokens are neither added nor recognised."""
        return self._vocabulary.count(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """`count_tokens` of each text."""
        return [self._vocabulary.count(text) for text in texts]

    def close(self) -> None:
        """Stop what runs and free the model; requests made afterwards raise ModelError."""
        for flag in list(self._flags):
            flag.set()
        with self._lock:
            if self._context is not None:
                self._context.close()
                self._context = None
            self._model.close()

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> TextStream:
        """Answer a request piece by piece.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ModelError: there is no memory for the context, or the engine failed or was closed.
        """
        return TextStream(self._pieces(request, cancelled))

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
        """Run a request in the worker's thread; whatever goes wrong is told, so that the caller never waits in vain."""
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
        started = time.perf_counter()
        blocks = self._blocks(request.messages)
        context = self._room_for(sum(map(len, blocks)), request.max_tokens)
        context.watch(flag)
        run = _Run(request, context, self._vocabulary, tell)
        finish = run.finish(blocks)
        elapsed = time.perf_counter() - started
        first = run.first_token_at - started if run.first_token_at else elapsed
        return Completion(finish, sum(map(len, blocks)), run.reused_tokens, len(run.tokens), first, elapsed)

    def _blocks(self, messages: tuple[Message, ...]) -> list[Block]:
        """The prompt's tokens in blocks; one ends before the last message, so that all before it can be reused whole.

        Only the template's own text is read with special tokens; what stands in the messages is data.
        """
        frame = self._template.frame(tuple(message.role for message in messages))
        tokens = self._vocabulary.tokens
        head = tokens(frame[0], special=True)
        starting = self._vocabulary.starting()
        if head[:1] != starting:
            head = starting + head
        for message, after in zip(messages[:-1], frame[1:-1], strict=True):
            head += tokens(message.content) + tokens(after, special=True)
        tail = tokens(messages[-1].content) + tokens(frame[-1], special=True)
        size = self._block_tokens
        return [tuple(part[at : at + size]) for part in (head, tail) for at in range(0, len(part), size)]

    def _room_for(self, prompt_tokens: int, max_tokens: int) -> LlamaContext:
        needed = prompt_tokens + max_tokens
        if self.context_length and needed > self.context_length:
            raise SettingsError(
                f"The question with its sources takes {prompt_tokens} tokens and the answer up to {max_tokens}, but "
                f"{self.name} reads at most {self.context_length} together. Lower budget_tokens (--budget) or "
                "answer_tokens, or choose a model with a longer context."
            )
        if self._context is None or self._context.size < needed:
            if self._context is not None:
                self._context.close()
                self._context = None
            self._context = LlamaContext(self._model, self._allocation(needed), self._threads, self._block_tokens)
        return self._context

    def _allocation(self, needed: int) -> int:
        """Tokens to allocate: `needed` rounded up, no more than the model can read.

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


class _Run:
    """One request on its way through the model."""

    def __init__(
        self, request: Request, context: LlamaContext, vocabulary: Vocabulary, tell: Callable[[_Event], None]
    ) -> None:
        self._request, self._context, self._vocabulary, self._tell = request, context, vocabulary, tell
        self._text = StreamedText(request.stop)
        self.tokens: list[int] = []
        self.reused_tokens = 0
        self.first_token_at: float | None = None

    def finish(self, blocks: Sequence[Block]) -> Finish:
        """Read the prompt and write until something ends it."""
        sampler = _sampler(self._request)
        try:
            self.reused_tokens = self._context.read(blocks)
            finish = self._write(sampler)
        except Aborted:
            finish = Finish.CANCELLED
        finally:
            native.llama_sampler_free(sampler)
        self._say(self._text.rest())
        return finish

    def _write(self, sampler: Pointer) -> Finish:
        while len(self.tokens) < self._request.max_tokens:
            token = native.llama_sampler_sample(sampler, self._context.pointer, -1)
            self.first_token_at = self.first_token_at or time.perf_counter()
            if self._vocabulary.ends(token):
                return Finish.STOP
            self.tokens.append(token)
            self._say(self._text.feed(self._vocabulary.piece(token)))
            if self._text.stopped:
                return Finish.STOP
            if len(self.tokens) % LOOP_CHECK_TOKENS == 0 and loops(self.tokens):
                return Finish.REPETITION
            if len(self.tokens) < self._request.max_tokens:
                self._context.append((token,))
        return Finish.LENGTH

    def _say(self, text: str) -> None:
        if text:
            self._tell(text)


def _sampler(request: Request) -> Pointer:
    """llama.cpp's sampler chain for a request: the likeliest token, or a seeded draw from the likeliest 95 percent."""
    chain = native.llama_sampler_chain_init(native.llama_sampler_chain_default_params())
    if request.temperature <= 0:
        parts = [native.llama_sampler_init_greedy()]
    else:
        parts = [
            native.llama_sampler_init_top_p(0.95, 1),
            native.llama_sampler_init_temp(request.temperature),
            native.llama_sampler_init_dist(request.seed),
        ]
    for part in parts:
        native.llama_sampler_chain_add(chain, part)
    return chain
