"""Computes the vector of a question in NumPy with the embedding model's own weights.

A question has about a dozen word pieces, which NumPy reads in a few milliseconds. Importing torch and
sentence-transformers would delay the first search by six seconds. A test compares the vectors with sentence-transformers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from noderag_local.models.embedding.embedding_model import EmbeddingModel, builtin_model, folder_shape
from noderag_local.models.embedding.question_pieces import FILE_NAME, QuestionPieces
from noderag_local.models.embedding.weights_file import WeightsFile
from noderag_local.models.embedding.wordpieces import WordPieces

Array = NDArray[np.float32]

_WORDS = "embeddings.word_embeddings.weight"


class QuestionEncoder:
    """A BERT encoder with mean pooling (Devlin et al. 2019; Reimers and Gurevych 2019, section 3)."""

    def __init__(self, model: EmbeddingModel | None = None) -> None:
        """Opens the weights.

        Args:
            model: model whose folder has a BERT encoder with mean pooling (`FolderShape.is_bert`); None for the installed
                model.
        """
        model = model or builtin_model()
        folder = Path(model.place)
        self._prefix = model.question_prefix
        shape = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._layers = int(shape["num_hidden_layers"])
        self._heads = int(shape["num_attention_heads"])
        self._epsilon = float(shape["layer_norm_eps"])
        self._ids = _ids_of(folder)
        self._file = WeightsFile(folder / "model.safetensors")
        names = [name for name in self._file.names if _is_held(name)]
        self._weights = _fused({name: _laid_out(name, self._file.tensor(name)) for name in names})
        self._blas = ThreadpoolController()
        self.dim = int(shape["hidden_size"])

    def encode(self, question: str) -> Array:
        """Returns the vector of a text, (dim,) float32 of unit length; ignores text beyond the model's window."""
        return np.asarray(self.encode_all([question])[0])

    def encode_all(self, questions: Sequence[str]) -> Array:
        """Returns the vectors of several texts, (n, dim), in one pass; three together cost less than two separately."""
        ids = [np.array(self._ids(self._prefix + one), dtype=np.int64) for one in questions]
        ends = np.cumsum([len(one) for one in ids]).tolist()
        texts = [slice(start, end) for start, end in pairwise([0, *ends])]
        states = np.concatenate([self._embeddings(one) for one in ids])
        # Products this small gain nothing from a second thread and may have to wait for it: 10 ms with one thread,
        # 8 to 700 ms with two when other programs use the cores.
        with self._blas.limit(limits=1, user_api="blas"):
            for layer in range(self._layers):
                states = self._layer(states, texts, f"encoder.layer.{layer}.")
        means = [states[text].mean(axis=0) for text in texts]
        return np.stack([mean / np.linalg.norm(mean) for mean in means]).astype(np.float32)

    def _embeddings(self, ids: NDArray[np.int64]) -> Array:
        weights = self._weights
        states = (
            self._file.rows(_WORDS, ids.tolist())
            + weights["embeddings.position_embeddings.weight"][: len(ids)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        return self._normalise(states, "embeddings.LayerNorm")

    def _layer(self, states: Array, texts: Sequence[slice], layer: str) -> Array:
        attended = self._linear(self._attention(states, texts, layer), layer + "attention.output.dense")
        states = self._normalise(states + attended, layer + "attention.output.LayerNorm")
        inner = _gelu(self._linear(states, layer + "intermediate.dense"))
        return self._normalise(states + self._linear(inner, layer + "output.dense"), layer + "output.LayerNorm")

    def _attention(self, states: Array, texts: Sequence[slice], layer: str) -> Array:
        projected = self._linear(states, layer + "attention.self")
        return np.concatenate([self._attention_within(projected[text]) for text in texts])

    def _attention_within(self, projected: Array) -> Array:
        """Computes the attention of one text, whose pieces attend only to each other."""
        pieces, width = len(projected), projected.shape[1] // 3
        query, key, value = projected.reshape(pieces, 3, self._heads, -1).transpose(1, 2, 0, 3)
        logits = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(width / self._heads))
        shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        return np.asarray((shares @ value).transpose(1, 0, 2).reshape(pieces, width))

    def _linear(self, states: Array, name: str) -> Array:
        return np.asarray(states @ self._weights[name + ".weight"] + self._weights[name + ".bias"])

    def _normalise(self, states: Array, name: str) -> Array:
        centred = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(self._epsilon))
        return np.asarray(centred / spread * self._weights[name + ".weight"] + self._weights[name + ".bias"])


def _ids_of(folder: Path) -> Callable[[str], list[int]]:
    """Returns a function that converts a text to token ids with special tokens, cut at the model's window."""
    window = folder_shape(folder).window
    if (folder / FILE_NAME).is_file():
        return QuestionPieces(folder, window).ids
    pieces = WordPieces(folder, window)
    return lambda text: list(pieces.windows([text])[0].ids)


def _is_held(name: str) -> bool:
    """Returns whether a tensor is kept in memory; the pooler is not needed, and rows of the word table are read when needed."""
    return not name.startswith("pooler.") and name != _WORDS


def _laid_out(name: str, tensor: Array) -> Array:
    """Returns the tensor, transposed if it is a linear layer's matrix: OpenBLAS is then 2.3 times as fast for a dozen rows."""
    is_linear = name.endswith(".weight") and "LayerNorm" not in name and "embeddings" not in name
    return np.ascontiguousarray(tensor.T) if is_linear else tensor


def _fused(weights: dict[str, Array]) -> dict[str, Array]:
    """Combines query, key and value weights of a layer into one matrix, so that one product replaces three."""
    rest = {name: tensor for name, tensor in weights.items() if ".self." not in name}
    for name in [name for name in weights if ".self.query." in name]:
        parts = [weights[name.replace("query", part)] for part in ("query", "key", "value")]
        rest[name.replace(".query", "")] = np.concatenate(parts, axis=-1)
    return rest


def _gelu(values: Array) -> Array:
    """Returns x·Φ(x), with the error function by Abramowitz and Stegun 7.1.26 (absolute error below 1.5e-7)."""
    scaled = np.abs(values) * np.float32(np.sqrt(0.5))
    step = 1 / (1 + np.float32(0.3275911) * scaled)
    series: Array = np.full_like(step, 1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = np.asarray(series * step + np.float32(coefficient), dtype=np.float32)
    error = np.copysign(1 - series * step * np.exp(-scaled * scaled), values)
    return np.asarray(values * np.float32(0.5) * (1 + error), dtype=np.float32)
