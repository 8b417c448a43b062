"""llama.cpp in this process: one model for a person's questions (`stream`) and for background work (`generate`).

Background work stops within a node of its computation for a person's question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from noderag_local.domain.stream import Stream
from noderag_local.models.llm.chat_template import ChatTemplate
from noderag_local.models.llm.engine import Completion, Outcome, Request, never
from noderag_local.models.llm.gguf_files.hashes import sampled_digest
from noderag_local.models.llm.llamacpp.background import Precedence
from noderag_local.models.llm.llamacpp.batching import BatchedAnswers
from noderag_local.models.llm.llamacpp.llama_native import Model
from noderag_local.models.llm.llamacpp.streaming import StreamedAnswers
from noderag_local.models.llm.llamacpp.tokenizer import PromptWriter, Vocabulary
from noderag_local.models.llm.machine import physical_cores

BLOCK_TOKENS = 256
"""Prompt tokens read in one go. On one thread 64, 128, 256 and 512 gave 33, 52, 53 and 54 a second; a stop does not
wait for the end of a block."""

SEQUENCES = 32
"""Texts that are written at a time, memory permitting."""

SEQUENCE_TOKENS = 768
"""Tokens that each of these texts has room for; a longer one makes the caches grow."""


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
        self._prompts = PromptWriter(self._model, self._vocabulary, template)
        self._threads = threads or physical_cores()
        shared = self._model, self._vocabulary, self._prompts, Precedence(), self._threads
        self._streamed = StreamedAnswers(*shared, block_tokens)
        self._batched = BatchedAnswers(*shared, sequences, sequence_tokens)

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
        self._batched.stop()
        self._streamed.stop()
        with self._streamed.freed(), self._batched.freed():
            self._model.close()

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        """Answers a request piece by piece.

        Raises:
            SettingsError: the prompt and the answer do not fit into the model's context.
            ModelError: there is no memory for the context, or the engine failed or was closed.
        """
        return Stream(self._streamed.pieces(request, cancelled))

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        """Answers many requests; yields each when it is finished.

        `requests` and `cancelled` are asked from the thread that reads the iterator; closing it stops the model.

        Raises:
            ModelError: there is no memory for the batch, or the engine failed or was closed. What concerns one request
                is its outcome's error.
            RuntimeError: another `generate` of this engine has not come to its end.
        """
        return self._batched.outcomes(requests, cancelled)
