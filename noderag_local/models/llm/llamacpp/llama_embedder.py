"""Computes vectors with llama.cpp from the GGUF file of an embedding model.

Texts are read one at a time, because the last bits of llama.cpp's results depend on the other texts in a batch, and those
of a vault's vectors must not.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.errors import ModelError
from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors, text_by_text
from noderag_local.models.embedding.embedding_model import MANY_TOKENS, EmbeddingModel
from noderag_local.models.llm.llamacpp.llama_native import Model, Pointer, last_errors, native

SEQUENCE = 0


class LlamaEmbedder:
    """An opened GGUF file of an embedding model. Several threads may use it, one text at a time."""

    def __init__(self, model: EmbeddingModel, threads: int, gpu_layers: int = -1) -> None:
        """Opens the file, which says how the states of tokens are pooled into a vector.

        Raises:
            ModelMissing, ModelDamaged: the file does not exist or cannot be read.
            ModelError: it is not an embedding model, or there is not enough memory.
        """
        self._model = Model(Path(model.place), gpu_layers=gpu_layers)
        self._window = min(self._model.context_length or MANY_TOKENS, MANY_TOKENS)
        params = native.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = self._window
        params.n_seq_max = 1
        params.n_threads = params.n_threads_batch = threads
        params.embeddings = params.no_perf = True
        pointer = native.llama_init_from_model(self._model.pointer, params)
        if not pointer:
            raise ModelError(
                f"There is no memory for the embedding model {model.name} ({last_errors()}). Close other programs or choose a "
                "smaller model."
            )
        self._pointer: Pointer = pointer
        self._free = weakref.finalize(self, native.llama_free, pointer)
        if native.llama_pooling_type(pointer) in (native.LLAMA_POOLING_TYPE_NONE, native.LLAMA_POOLING_TYPE_RANK):
            raise ModelError(
                f"{model.place} is not an embedding model: its file does not say how to pool tokens into one vector. Choose "
                "another one with the setting embedding_model; `noderag models list` shows some."
            )
        self._one_at_a_time = threading.Lock()
        self._passage_prefix, self._question_prefix = model.passage_prefix, model.question_prefix
        self.name, self.identity, self.languages = model.name, model.identity, model.languages
        self.dim = int(native.llama_model_n_embd_out(self._model.pointer))

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[dict[int, PassageVectors]]:
        """Yields vectors as `Embedder.batches` does; each sentence is embedded separately."""
        return text_by_text(passages, lambda texts: self._vectors([self._passage_prefix + text for text in texts]))

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of questions, (n, dim) of unit length."""
        return self._vectors([self._question_prefix + text for text in texts])

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._one_at_a_time:
            rows = np.array([self._vector(text) for text in texts], dtype=np.float64).reshape(len(texts), self.dim)
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), dtype=np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        tokens = self._tokens(text)
        memory = native.llama_get_memory(self._pointer)
        if memory:
            native.llama_memory_clear(memory, True)
        batch = native.llama_batch_get_one(tokens, len(tokens))
        if native.llama_model_has_encoder(self._model.pointer) and not native.llama_model_has_decoder(
            self._model.pointer
        ):
            result = native.llama_encode(self._pointer, batch)
        else:
            result = native.llama_decode(self._pointer, batch)
        found = native.llama_get_embeddings_seq(self._pointer, SEQUENCE)
        if result != 0 or not found:
            raise ModelError(
                f"{self.name} failed while computing a vector ({last_errors()}, code {result}). Check the file with `noderag "
                "models check`, or choose another embedding model."
            )
        return np.ctypeslib.as_array(found, (self.dim,)).copy()

    def _tokens(self, text: str) -> Any:
        """Returns the tokens with special tokens at both ends, cut at the window, as an array of llama.cpp."""
        data = text.encode("utf-8", errors="replace")
        vocabulary = self._model.vocabulary
        room = -native.llama_tokenize(vocabulary, data, len(data), None, 0, True, False)
        buffer = (native.llama_token * max(room, 1))()
        native.llama_tokenize(vocabulary, data, len(data), buffer, room, True, False)
        if room <= self._window:
            return buffer
        # Keeps the last token: models that use its state as the vector were trained with the end token there.
        return (native.llama_token * self._window)(*buffer[: self._window - 1], buffer[room - 1])
