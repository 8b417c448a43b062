"""Opens embedding models: whole for texts in bulk, and as little as is needed for a question."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from noderag_local.config import Settings
from noderag_local.models.embedding.embedder import Embedder
from noderag_local.models.embedding.embedding_model import EmbeddingModel, Runner, folder_shape
from noderag_local.models.llm.machine import physical_cores

EncodeQuestions = Callable[[Sequence[str]], NDArray[np.float32]]
"""Gives the vectors of questions, (n, dim) of unit length."""


def open_embedder(model: EmbeddingModel, settings: Settings) -> Embedder:
    """Returns the model, loaded when it is first needed; all vaults of the process share it.

    Raises:
        ModelError: it cannot be loaded or reached.
        SettingsError: a server's address leads where it must not.
    """
    if model.runner is Runner.SERVER:
        from noderag_local.models.llm.server.embedding_server import ServedEmbedder

        return ServedEmbedder(model, settings)
    return _loaded(model, settings.threads or physical_cores(), settings.gpu_layers)


def question_encoder(model: EmbeddingModel, settings: Settings) -> EncodeQuestions:
    """Returns what makes vectors of questions by the model; where NumPy can compute it, no other library is loaded.

    Raises:
        ModelError, SettingsError: as `open_embedder`.
    """
    if model.runner is Runner.FOLDER and folder_shape(Path(model.place)).is_bert:
        from noderag_local.models.embedding.question_encoder import QuestionEncoder

        return QuestionEncoder(model).encode_all
    return open_embedder(model, settings).questions


@cache
def _loaded(model: EmbeddingModel, threads: int, gpu_layers: int) -> Embedder:
    if model.runner is Runner.GGUF:
        from noderag_local.models.llm.llamacpp.llama_embedder import LlamaEmbedder

        return LlamaEmbedder(model, threads, gpu_layers)
    from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder

    loaded = SentenceTransformerEmbedder(threads, model)
    # Its half a million objects stay: without them, collecting garbage takes 1 ms in place of 50, some times a run. They would
    # stay for good if each vault loaded a model of its own: 50 MB for each.
    gc.freeze()
    return loaded
