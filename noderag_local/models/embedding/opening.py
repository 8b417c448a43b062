"""Opens embedding models: completely for passages, and only the needed parts for a question."""

from __future__ import annotations

import gc
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from noderag_local.config import Settings, load_settings
from noderag_local.domain.errors import ModelMissing
from noderag_local.models.embedding.embedder import Embedder
from noderag_local.models.embedding.embedding_model import EmbeddingModel, Runner, embedding_model, folder_shape
from noderag_local.models.llm.machine import physical_cores
from noderag_local.system.disk.presence import is_there
from noderag_local.system.paths import absolute

EncodeQuestions = Callable[[Sequence[str]], NDArray[np.float32]]
"""Function that returns the vectors of questions, (n, dim) of unit length."""


def open_embedder(model: EmbeddingModel, settings: Settings) -> Embedder:
    """Returns the model, which is loaded on first use and shared by all vaults of the process.

    Raises:
        ModelError: the model cannot be loaded or reached.
        SettingsError: the address of the server is not allowed.
    """
    if model.runner is Runner.SERVER:
        from noderag_local.models.llm.server.embedding_server import ServedEmbedder

        return ServedEmbedder(model, settings)
    return _loaded(model, settings.threads or physical_cores(), settings.gpu_layers)


def question_encoder(model: EmbeddingModel, settings: Settings) -> EncodeQuestions:
    """Returns a function that embeds questions; if NumPy can run the model, no other library is loaded.

    Raises:
        ModelError, SettingsError: as for `open_embedder`.
    """
    if model.runner is Runner.FOLDER and folder_shape(Path(model.place)).is_bert:
        from noderag_local.models.embedding.question_encoder import QuestionEncoder

        return QuestionEncoder(model).encode_all
    return open_embedder(model, settings).questions


@dataclass(frozen=True, slots=True)
class ModelOnWorker:
    """Opens a model in another process, perhaps of another machine, where it may lie elsewhere.

    It uses one thread: the process is one of as many as there are cores.
    """

    model: EmbeddingModel

    def __call__(self) -> Embedder:
        """Returns the model, which the process keeps for its next batches.

        Raises:
            ModelError: the machine does not have it, or has another one of its name.
        """
        return _loaded(self._found(), threads=1, gpu_layers=-1)

    def _found(self) -> EmbeddingModel:
        if is_there(self.model.place):
            return self.model
        found = embedding_model(self.model.chosen_by, absolute(load_settings().models_dir))
        if found.identity != self.model.identity:
            raise ModelMissing(
                f"The machine {platform.node()} has another embedding model {found.name} than the one that reads this vault. "
                "Copy the file there."
            )
        return found


@cache
def _loaded(model: EmbeddingModel, threads: int, gpu_layers: int) -> Embedder:
    if model.runner is Runner.GGUF:
        from noderag_local.models.llm.llamacpp.llama_embedder import LlamaEmbedder

        return LlamaEmbedder(model, threads, gpu_layers)
    from noderag_local.models.embedding.sentence_transformer import SentenceTransformerEmbedder

    loaded = SentenceTransformerEmbedder(threads, model)
    # The model's half a million objects stay loaded. Frozen, they cost each garbage collection 1 ms instead of 50. They are
    # never freed, so the model must be shared: each further copy would keep 50 MB.
    gc.freeze()
    return loaded
