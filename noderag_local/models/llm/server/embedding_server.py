"""Computes vectors with a server that has `/v1/embeddings`: llama-server, vLLM, Ollama, text-embeddings-inference.

The same addresses are allowed as for a server that answers, and the same key is sent.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urldefrag

import numpy as np
from numpy.typing import NDArray

from noderag_local.config import Settings
from noderag_local.domain.errors import ModelError
from noderag_local.models.embedding.embedder import EmbeddedChunk, PassageVectors, text_by_text
from noderag_local.models.embedding.embedding_model import EmbeddingModel
from noderag_local.models.llm.engine import never
from noderag_local.models.llm.server.cancellable_socket import Watch
from noderag_local.models.llm.server.served_model import served_model
from noderag_local.models.llm.server.server_address import resolve_server
from noderag_local.models.llm.server.server_faults import ServerBusy, ServerNonsense, ServerUnreachable
from noderag_local.models.llm.server.server_http import ServerHttp

EMBEDDINGS = "/v1/embeddings"
TEXTS_AT_ONCE = 32
PAUSES = (0.5, 2.0, 8.0)
"""Seconds to wait before each further try when the server is busy."""


class ServedEmbedder:
    """The embedding model of a server."""

    def __init__(self, model: EmbeddingModel, settings: Settings, pauses: Sequence[float] = PAUSES) -> None:
        """Asks the server which model it serves, and for one vector to learn its length.

        Raises:
            SettingsError: the address is not allowed.
            ModelError: the server cannot be reached, serves no such model, or gives no vectors.
        """
        url, wanted = urldefrag(model.place)
        self._server = ServerHttp(
            resolve_server(url, settings.server_private_network), settings.server_key.get_secret_value()
        )
        self._seconds, self._pauses = settings.server_timeout_seconds, tuple(pauses)
        self._id = served_model(self._server, wanted, lambda: Watch(never, self._seconds)).id
        self._passage_prefix, self._question_prefix = model.passage_prefix, model.question_prefix
        self.name, self.identity, self.languages = model.name, model.identity, model.languages
        self.dim = 0
        self.dim = self._vectors(["one"]).shape[1]

    def batches(self, passages: Sequence[EmbeddedChunk]) -> Iterator[dict[int, PassageVectors]]:
        """Yields vectors as `Embedder.batches` does; each sentence is embedded separately."""
        return text_by_text(passages, lambda texts: self._vectors([self._passage_prefix + text for text in texts]))

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of questions, (n, dim) of unit length.

        Raises:
            ModelError: the server fails.
        """
        return self._vectors([self._question_prefix + text for text in texts])

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        parts = [self._asked(texts[first : first + TEXTS_AT_ONCE]) for first in range(0, len(texts), TEXTS_AT_ONCE)]
        rows = np.array([row for part in parts for row in part], dtype=np.float64).reshape(len(texts), -1)
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), dtype=np.float32)

    def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        request = {"model": self._id, "input": list(texts), "encoding_format": "float"}
        for pause in self._pauses:
            try:
                return self._checked(self._server.json(EMBEDDINGS, Watch(never, self._seconds), request), len(texts))
            except (ServerBusy, ServerUnreachable):
                time.sleep(pause)
        return self._checked(self._server.json(EMBEDDINGS, Watch(never, self._seconds), request), len(texts))

    def _checked(self, document: Any, count: int) -> list[list[float]]:
        entries = document.get("data") if isinstance(document, dict) else None
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise ServerNonsense(f"{self._server.name(EMBEDDINGS)} sent a response without vectors.")
        by_place = {entry.get("index", at): entry.get("embedding") for at, entry in enumerate(entries)}
        rows = [by_place.get(at) for at in range(count)]
        lengths = {len(row) if isinstance(row, list) else 0 for row in rows}
        if len(entries) != count or len(lengths) != 1 or not lengths.copy().pop():
            raise ServerNonsense(f"{self._server.name(EMBEDDINGS)} did not answer {count} texts with {count} vectors.")
        whole = [[_number(value) for value in row or ()] for row in rows]
        if self.dim and len(whole[0]) != self.dim:
            raise ModelError(
                f"{self._server.name(EMBEDDINGS)} sends vectors of {len(whole[0])} numbers but sent some of {self.dim} before. "
                "It now serves another model: run `noderag index` again."
            )
        return whole


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ServerNonsense("The model server sent a vector that contains something other than numbers.")
    return float(value)
