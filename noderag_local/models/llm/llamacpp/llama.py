"""llama.cpp in this process: one model for a person's questions (`stream`) and for background work (`generate`).

A person's question interrupts background work almost immediately, within one node of its computation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from noderag_local.domain.stream import Stream
from noderag_local.models.llm.chat_template import ChatTemplate
from noderag_local.models.llm.engine import SMALL, Completion, Outcome, Request, Weighing, never
from noderag_local.models.llm.gguf_files.hashes import sampled_digest
from noderag_local.models.llm.llamacpp.background import Precedence
from noderag_local.models.llm.llamacpp.batching import BatchedAnswers
from noderag_local.models.llm.llamacpp.llama_native import Model
from noderag_local.models.llm.llamacpp.streaming import StreamedAnswers
from noderag_local.models.llm.llamacpp.tokenizer import PromptWriter, Vocabulary
from noderag_local.models.llm.machine import physical_cores

BLOCK_TOKENS = 256
"""Prompt tokens processed at once. On one thread, 64, 128, 256 and 512 gave 33, 52, 53 and 54 tokens a second. Interrupting
does not wait for the end of a block."""

SEQUENCES = 32
"""Maximum number of texts written at the same time, if memory allows."""

SEQUENCE_TOKENS = 768
"""Initial maximum tokens of each of these texts; a longer text makes the caches grow."""


class LlamaEngine:
    """A GGUF model that answers. Several threads may use it; their requests are answered one after another."""

    def __init__(
        self,
        path: Path,
        threads: int = 0,
        gpu_layers: int = -1,
        block_tokens: int = BLOCK_TOKENS,
        sequences: int = SEQUENCES,
        sequence_tokens: int = SEQUENCE_TOKENS,
    ) -> None:
        """Opens the model; the first request allocates caches of the size that it needs.

        Args:
            path: path of the GGUF file.
            threads: number of processor threads; 0 means one per physical core.
            gpu_layers: number of layers on a GPU, if llama.cpp supports it; -1 means all.
            block_tokens: prompt tokens that `stream` processes at once.
            sequences: maximum texts that `generate` writes at a time, if memory allows.
            sequence_tokens: initial maximum tokens of each of them, prompt and answer; it grows for longer texts.

        Raises:
            ModelMissing, ModelDamaged, ModelError: as for `Model`; ModelError also if there is no chat template.
        """
        self._model = Model(path, gpu_layers=gpu_layers)
        self._vocabulary = Vocabulary(self._model)
        template = ChatTemplate.of_model(self.name, self._model.chat_template, *self._vocabulary.marks())
        self._prompts = PromptWriter(self._model, self._vocabulary, template)
        self._threads = threads or physical_cores()
        shared = self._model, self._vocabulary, self._prompts, Precedence(), self._threads
        self._streamed = StreamedAnswers(*shared, block_tokens)
        self._batched = BatchedAnswers(*shared, sequences, sequence_tokens)

    @property
    def name(self) -> str:
        """Name of the model's file without its suffix."""
        return self._model.name

    @cached_property
    def identity(self) -> str:
        """Name of the file and a digest of its content."""
        return f"{self.name} {sampled_digest(self._model.path)}"

    @property
    def context_length(self) -> int:
        """Number of tokens that the model was trained to read."""
        return self._model.context_length

    @property
    def keeps_what_it_read(self) -> bool:
        """True, because the cache keeps the previous prompt."""
        return True

    @property
    def weighs(self) -> bool:
        """True, because the scores of all tokens are at hand."""
        return True

    @property
    def is_small(self) -> bool:
        """Whether the model has fewer than `SMALL` parameters."""
        return self._model.parameters < SMALL

    def count_tokens(self, text: str) -> int:
        """Returns the number of tokens in `text`; special tokens are neither added nor recognised."""
        return self._vocabulary.count(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text; see `count_tokens`."""
        return [self._vocabulary.count(text) for text in texts]

    def close(self) -> None:
        """Stops running requests and frees the model; later requests raise ModelError."""
        self._batched.stop()
        self._streamed.stop()
        with self._streamed.freed(), self._batched.freed():
            self._model.close()

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Streams the answer to a request.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ModelError: memory is too small for the context, or the engine failed or was closed.
        """
        return Stream(self._streamed.pieces(request, cancelled))

    def likelihoods(
        self, request: Request, beginnings: Sequence[str], cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Returns for each text the probability that the answer begins with it.

        Raises:
            SettingsError, ModelError: as for `stream`.
        """
        return self._streamed.likelihoods(request, beginnings, cancelled)

    def likeliest(
        self, request: Request, texts: Sequence[str], most: int, cancelled: Callable[[], bool] = never
    ) -> Weighing:
        """Returns which of some texts are likeliest as the whole answer to a request, best first.

        Raises:
            SettingsError, ModelError: as for `stream`.
        """
        return self._streamed.likeliest(request, texts, most, cancelled)

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Answers many requests; yields each when it is finished.

        `requests` and `cancelled` are called from the thread that reads the iterator; closing it stops the model.

        Raises:
            ModelError: memory is too small for the batch, or the engine failed or was closed. The error of a single request is in
                its outcome.
            RuntimeError: another `generate` of this engine has not ended yet.
        """
        return self._batched.outcomes(requests, cancelled)
