"""Answers or judges one request at a time in a worker thread, which passes text and results through a queue.

The caller's thread never waits inside llama.cpp, so Ctrl-C and `cancelled` work while a long prompt is read.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from noderag_local.domain.errors import ModelError
from noderag_local.domain.stream import Stream
from noderag_local.models.llm.engine import Completion, Finish, Request, Weighing
from noderag_local.models.llm.llamacpp.after_prompt import AfterPrompt, Weights
from noderag_local.models.llm.llamacpp.background import POLL_SECONDS, Precedence
from noderag_local.models.llm.llamacpp.llama_context import Block, LlamaContext
from noderag_local.models.llm.llamacpp.llama_native import Aborted, Model, StopFlag
from noderag_local.models.llm.llamacpp.text_search import MOST_SURE, likeliest
from noderag_local.models.llm.llamacpp.tokenizer import Prompt, PromptWriter, Vocabulary
from noderag_local.models.llm.llamacpp.writing import Writing
from noderag_local.models.llm.machine import available_memory_bytes

CONTEXT_STEP = 2048
"""The cache grows in steps of this many tokens."""

ASIDE_STEP = 512
"""The same for the cache of short requests, such as notes that are judged."""

SEARCH_STEPS = 24
"""Maximum number of steps that count in the search for the likeliest of some texts; see `likeliest`."""

SPARE_BYTES = 300 * 1024 * 1024
"""Memory to leave free for the batch's own buffers and for other programs."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Done(Generic[Result]):
    """The last event of a work that succeeded."""

    result: Result


_NOTHING_WEIGHED = Weighing((), (), Completion.cancelled())


class _Use(Enum):
    """Uses of a cache. Short requests have one of their own: many that begin alike come between long prompts."""

    ANSWER = auto()
    ASIDE = auto()


class StreamedAnswers:
    """Streams answers of one model, one after another. Several threads may use it."""

    def __init__(
        self,
        model: Model,
        vocabulary: Vocabulary,
        prompts: PromptWriter,
        precedence: Precedence,
        threads: int,
        block_tokens: int,
    ) -> None:
        """Keeps the arguments; the first request allocates a cache of the size that it needs.

        Args:
            model: open model; must stay open while this object is used.
            vocabulary: vocabulary of the model.
            prompts: writer of prompts for the model.
            precedence: holds background work back during a request.
            threads: number of processor threads.
            block_tokens: prompt tokens that are processed at once.
        """
        self._model, self._vocabulary, self._prompts = model, vocabulary, prompts
        self._precedence, self._threads, self._block_tokens = precedence, threads, block_tokens
        self._contexts: dict[_Use, LlamaContext] = {}
        self._lock = threading.Lock()
        self._flags: weakref.WeakSet[StopFlag] = weakref.WeakSet()

    def stop(self) -> None:
        """Stops every running request."""
        for flag in self._flags:
            flag.set()

    @contextmanager
    def freed(self) -> Iterator[None]:
        """Frees the caches when no request is running, and lets none start inside the block."""
        with self._lock:
            for use in list(self._contexts):
                self._contexts.pop(use).close()
            yield

    def pieces(self, request: Request, cancelled: Callable[[], bool]) -> Generator[str, None, Completion]:
        """Yields the text of an answer; closing the generator stops the model.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ModelError: memory is too small for the context, llama.cpp failed, or the model was closed.
        """
        nothing = Completion.cancelled()
        return (yield from self._worked(partial(self._answer, request), nothing, cancelled))

    def likelihoods(self, request: Request, beginnings: Sequence[str], cancelled: Callable[[], bool]) -> Weighing:
        """Returns how likely the answer begins with each text, as `Engine.likelihoods`; raises the same errors as `pieces`."""
        spelled = {text: tuple(self._vocabulary.tokens(text)) for text in beginnings}
        room = max(map(len, spelled.values()), default=0)
        return self._weighed(request, room, _Use.ASIDE, lambda after: after.likelihoods(spelled), cancelled)

    def likeliest(self, request: Request, texts: Sequence[str], most: int, cancelled: Callable[[], bool]) -> Weighing:
        """Returns the likeliest of some texts, as `Engine.likeliest`; raises the same errors as `pieces`."""

        def search(after: AfterPrompt) -> Weights:
            return likeliest(texts, most, SEARCH_STEPS, self._vocabulary, after.scores_after)

        return self._weighed(request, MOST_SURE * SEARCH_STEPS, _Use.ANSWER, search, cancelled)

    def _weighed(
        self,
        request: Request,
        room: int,
        use: _Use,
        weigh: Callable[[AfterPrompt], Weights],
        cancelled: Callable[[], bool],
    ) -> Weighing:
        work = partial(self._weigh, request, room, use, weigh)
        return Stream(self._worked(work, _NOTHING_WEIGHED, cancelled)).finish()

    def _worked(
        self,
        do: Callable[[StopFlag, Callable[[str], None]], Result],
        nothing: Result,
        cancelled: Callable[[], bool],
    ) -> Generator[str, None, Result]:
        """Yields the pieces of text of some work in a worker thread and returns its result.

        Args:
            do: the work; it is given the flag to watch, and a function that takes pieces of text.
            nothing: the result of a work that was cancelled before it could begin.
            cancelled: called many times a second.
        """
        events: SimpleQueue[str | _Done[Result] | Exception] = SimpleQueue()
        flag = StopFlag()
        self._flags.add(flag)
        worker = threading.Thread(target=self._work, args=(do, nothing, flag, events.put), name="llama")
        worker.start()
        try:
            while True:
                if cancelled():
                    flag.set()
                try:
                    event = events.get(timeout=POLL_SECONDS)
                except Empty:
                    continue
                if isinstance(event, _Done):
                    return event.result
                if isinstance(event, Exception):
                    raise event
                if not flag.is_set():
                    yield event
        finally:
            flag.set()
            worker.join()

    def _work(
        self,
        do: Callable[[StopFlag, Callable[[str], None]], Result],
        nothing: Result,
        flag: StopFlag,
        tell: Callable[[str | _Done[Result] | Exception], None],
    ) -> None:
        """Works in the worker thread and reports every error, so that the caller never waits forever."""
        with self._precedence.person():
            while not self._lock.acquire(timeout=POLL_SECONDS):
                if flag.is_set():
                    tell(_Done(nothing))
                    return
            try:
                tell(_Done(do(flag, tell)))
            except Exception as error:  # noqa: BLE001 - raised again in the caller's thread
                tell(error)
            finally:
                self._lock.release()

    def _weigh(
        self,
        request: Request,
        room: int,
        use: _Use,
        weigh: Callable[[AfterPrompt], Weights],
        flag: StopFlag,
        _: Callable[[str], None],
    ) -> Weighing:
        """Reads a prompt and weighs what may follow it, in at most `room` tokens."""
        prompt = self._prompts.fitting_prompt(request)
        context = self._room_for(len(prompt) + room, use)
        context.watch(flag)
        try:
            after = AfterPrompt(context, self._blocks(prompt, use))
            weights = weigh(after)
        except Aborted:
            return _NOTHING_WEIGHED
        return Weighing(tuple(weights), tuple(weights.values()), after.cost())

    def _answer(self, request: Request, flag: StopFlag, tell: Callable[[str], None]) -> Completion:
        run = _Run(Writing(request, self._vocabulary), tell)
        prompt = self._prompts.fitting_prompt(request)
        use = _Use.ASIDE if request.is_aside else _Use.ANSWER
        context = self._room_for(len(prompt) + request.max_tokens, use)
        context.watch(flag)
        finish = run.finish(context, self._blocks(prompt, use))
        elapsed = time.perf_counter() - run.started
        first = run.first_token_at - run.started if run.first_token_at else elapsed
        return Completion(
            finish, len(prompt), run.reused_tokens, run.writing.written, first, elapsed, run.writing.certainty
        )

    def _blocks(self, prompt: Prompt, use: _Use) -> list[Block]:
        """Splits the prompt's tokens into blocks; a block ends before the last message, so that the part before can be reused.

        The last block is always read again, for its scores. For an answer it is a single token, so that a prompt that was read
        ahead costs next to nothing; what is judged is seldom judged twice.
        """
        size, own = self._block_tokens, prompt.own
        parts = (prompt.shared, own[:-1], own[-1:]) if use is _Use.ANSWER else (prompt.shared, own)
        return [part[at : at + size] for part in parts for at in range(0, len(part), size)]

    def _room_for(self, needed: int, use: _Use) -> LlamaContext:
        """Returns a cache with room for `needed` tokens; replaces one that is too small."""
        held = self._contexts.get(use)
        if held is not None and held.size >= needed:
            return held
        if held is not None:
            self._contexts.pop(use).close()
        try:
            tokens = self._allocation(needed, use)
        except ModelError:
            # The memory of the other cache may be enough.
            for other in list(self._contexts):
                self._contexts.pop(other).close()
            tokens = self._allocation(needed, use)
        self._contexts[use] = made = LlamaContext(self._model, tokens, self._threads, self._block_tokens)
        return made

    def _allocation(self, needed: int, use: _Use) -> int:
        """Returns the number of tokens to allocate: `needed` rounded up, at most what the model can read.

        Raises:
            ModelError: there is not enough free memory.
        """
        step = CONTEXT_STEP if use is _Use.ANSWER else ASIDE_STEP
        tokens = min(-(-needed // step) * step, self._model.context_length or needed)
        free = available_memory_bytes()
        wanted = tokens * self._model.cache_bytes_per_token() + SPARE_BYTES
        if free is not None and wanted > free:
            raise ModelError(
                f"{self._model.name} needs {wanted >> 20} MB for a context of {tokens} tokens, but {free >> 20} MB are free. "
                "Lower budget_tokens (--budget), close other programs or choose a smaller model."
            )
        return tokens


class _Run:
    """A streamed request; its figures are valid after it has finished."""

    def __init__(self, writing: Writing, tell: Callable[[str], None]) -> None:
        """Prepares the request; `tell` is called with text that is safe to show."""
        self.writing, self._tell = writing, tell
        self.started = time.perf_counter()
        self.first_token_at: float | None = None
        self.reused_tokens = 0

    def finish(self, context: LlamaContext, blocks: Sequence[Block]) -> Finish:
        """Reads the prompt and writes until the text ends."""
        writing = self.writing
        self._say(writing.begin())
        try:
            if writing.finish is None:
                self.reused_tokens = context.read(blocks)
                # Read separately from the prompt, which another request may share.
                context.extend(writing.unread())
            while writing.finish is None:
                shown = writing.go_on(context.scores())
                self.first_token_at = self.first_token_at or time.perf_counter()
                self._say(shown)
                if writing.finish is None:
                    context.extend(writing.unread())
        except Aborted:
            writing.finish = Finish.CANCELLED
        self._say(writing.rest())
        return writing.finish

    def _say(self, text: str) -> None:
        if text:
            self._tell(text)
